package dev.resilience.event;

import java.time.Instant;
import java.util.Map;

/** A call with an idempotency key has ended. */
public record IdempotencyDecided(Instant at, String name, IdempotencyOutcome outcome) implements ResilienceEvent {

    @Override
    public String kind() {
        return "idempotency";
    }

    @Override
    public String type() {
        return "call-" + outcome.label().replace('_', '-');
    }

    @Override
    public Map<String, Object> details() {
        return Details.of("outcome", outcome.label());
    }
}
