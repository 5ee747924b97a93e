package dev.resilience.pipeline;

import dev.resilience.context.ContextCarrier;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One step of a composed pipeline: does its part and calls the next one. Steps hold no state of a call.
 *
 * <p>An abstract class and a field in every step, not an array walked by an index: so each step's call of the next has
 * a type profile of its own, the compiler inlines the whole walk in an application with few shapes of pipelines, and an
 * attempt that is still running when the next one begins shares no position with it.
 */
public abstract class Step {

    /** Takes the caller's context to the threads on which an asynchronous call goes on; set when the step is composed. */
    ContextCarrier carrier = ContextCarrier.standard();

    /** Runs the rest of the pipeline and returns its result. What it throws is what the method threw, or a refusal. */
    public abstract @Nullable Object call(Invocation invocation) throws Throwable;

    /**
     * Starts the rest of the pipeline and returns the future of its result.
     *
     * <p>Never throws: a refusal, or a body that throws before it returns its future, is a failed future. The failure
     * is never a {@link java.util.concurrent.CompletionException} around the real one. Cancelling the future, or
     * completing it from outside, cancels what runs behind it.
     */
    public abstract CompletableFuture<@Nullable Object> callAsync(Invocation invocation);
}
