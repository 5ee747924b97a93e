package dev.resilience.pipeline;

/**
 * One way to protect a call. Live objects are layers: they are wrapped around the rest of a pipeline when it is
 * composed, and the step they make of themselves is walked by every call.
 */
@FunctionalInterface
public interface Layer {

    /** The step that protects everything from {@code next} inwards. */
    Step around(Step next);
}
