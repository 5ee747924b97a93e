package dev.resilience.event;

import java.time.Instant;

/** Code has removed a policy that code had made; it is the last event of that policy. */
public record PolicyRemoved(Instant at, String kind, String name) implements ResilienceEvent {}
