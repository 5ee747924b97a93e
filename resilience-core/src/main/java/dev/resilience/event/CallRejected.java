package dev.resilience.event;

import java.time.Instant;

/**
 * A circuit breaker, a bulkhead or a rate limit did not let a call through.
 *
 * @param reason the counted outcome: {@code rejected}, {@code timed_out}
 */
public record CallRejected(Instant at, String kind, String name, String reason) implements ResilienceEvent {}
