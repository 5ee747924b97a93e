package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One stay of a circuit breaker in one of its states. Every transition makes a new instance, which is what tells a
 * result of now from a result of the past.
 */
abstract sealed class State permits ClosedState, OpenState, HalfOpenState, ForcedOpenState, DisabledState {

    abstract CircuitState name();

    /** Lets a call in, or returns {@code null}: refused, unless the breaker is in another state by now, which is asked. */
    abstract @Nullable Permit tryAdmit();

    /** When a refused call may come back; longer than zero. */
    Duration retryAfter() {
        return Duration.ofSeconds(1);
    }

    /** The share of failures in the window, or in the one that opened the breaker; NaN where too few calls tell. */
    double failureRate() {
        return Double.NaN;
    }
}
