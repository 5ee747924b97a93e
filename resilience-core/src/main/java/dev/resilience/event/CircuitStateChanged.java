package dev.resilience.event;

import java.time.Instant;
import java.util.Map;

/** A circuit breaker changed its state. */
public record CircuitStateChanged(Instant at, String name, CircuitState from, CircuitState to)
        implements ResilienceEvent {

    @Override
    public String kind() {
        return "circuit-breaker";
    }

    @Override
    public String type() {
        return "state-changed";
    }

    @Override
    public Map<String, Object> details() {
        return Details.of("from", from.name(), "to", to.name());
    }
}
