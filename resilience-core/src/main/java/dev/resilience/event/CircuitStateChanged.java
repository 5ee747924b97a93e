package dev.resilience.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker changed its state, or an operator or the application let it begin its open period or its probing anew:
 * then {@code from} and {@code to} are the same. A listener that opens other breakers leaves those alone, or two of them
 * open each other for ever.
 *
 * @param reason why, in words: {@code 5 calls in a row failed}; {@code null} if it is not known
 * @param lastFailure the type and message of the last failure before it opened, and those of its root cause; {@code null} if
 *     there was none, or it did not open
 * @param failedProbes how many probings have failed since it opened
 * @param nextProbe when calls are let in again as probes; {@code null} unless it is OPEN now
 */
public record CircuitStateChanged(
        Instant at,
        String name,
        CircuitState from,
        CircuitState to,
        @Nullable String reason,
        @Nullable String lastFailure,
        int failedProbes,
        @Nullable Instant nextProbe)
        implements ResilienceEvent {

    /** A change of which only the states are known. */
    public CircuitStateChanged(Instant at, String name, CircuitState from, CircuitState to) {
        this(at, name, from, to, null, null, 0, null);
    }

    @Override
    public String kind() {
        return "circuit-breaker";
    }

    @Override
    public String type() {
        return "state-changed";
    }
}
