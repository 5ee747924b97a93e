package dev.resilience.event;

import java.time.Instant;

/** An idempotency policy has counted a call. */
public record IdempotencyDecided(Instant at, String name, IdempotencyOutcome outcome) implements ResilienceEvent {

    @Override
    public String kind() {
        return "idempotency";
    }

    @Override
    public String type() {
        return "call-" + outcome.label().replace('_', '-');
    }
}
