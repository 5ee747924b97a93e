package dev.resilience.event;

import java.time.Instant;

/** Code has made a policy while the application runs; there is no such event for those that are configured. */
public record PolicyAdded(Instant at, String kind, String name) implements ResilienceEvent {}
