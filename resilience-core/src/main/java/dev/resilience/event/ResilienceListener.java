package dev.resilience.event;

/**
 * Hears every event once, on the thread that caused it and outside all locks: be quick. A circuit breaker's
 * transitions come in their order, so one that comes fast may come on the thread of the one before.
 *
 * <p>A listener may make calls and move circuit breakers. It does not get the events that this causes on the same
 * thread; other listeners do. The calls that it makes are not part of the call that it listens to: they have none of its
 * deadline, and no attempt around them.
 *
 * <p>What a listener throws is logged and never seen by the call. Implementations must be safe for use by many threads.
 */
@FunctionalInterface
public interface ResilienceListener {

    void onEvent(ResilienceEvent event);
}
