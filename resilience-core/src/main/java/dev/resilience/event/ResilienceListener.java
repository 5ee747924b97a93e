package dev.resilience.event;

/**
 * Hears of every event, once, outside of all locks, on the thread that caused it: keep it short.
 *
 * <p>What a listener throws is logged and never seen by the call. Implementations must be safe for use by many threads.
 */
@FunctionalInterface
public interface ResilienceListener {

    void onEvent(ResilienceEvent event);
}
