package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One stay of a circuit breaker in one of its states, under one policy. Every transition makes a new instance, and so
 * does every change of the policy: this is what tells a result of now from a result of the past.
 *
 * <p>A state takes its settings from the one before it. So there is no moment at which the two do not fit, and none at
 * which a transition could bring back a policy that was replaced.
 */
abstract sealed class State permits ClosedState, OpenState, HalfOpenState, ForcedOpenState, DisabledState {

    final CircuitBreaker breaker;
    final Settings settings;

    State(CircuitBreaker breaker, Settings settings) {
        this.breaker = breaker;
        this.settings = settings;
    }

    abstract CircuitState name();

    /**
     * Lets a call in, or returns {@code null}: refused, unless the breaker is in another state by now, which is asked.
     */
    abstract @Nullable Permit tryAdmit();

    /** The same state under another policy, begun anew but for what an open one has to remember. */
    abstract State under(Settings other);

    /** When a refused call may come back; longer than zero. */
    Duration retryAfter() {
        return Duration.ofSeconds(1);
    }

    /** The share of failures in the window, or in the one that opened the breaker; NaN where too few calls tell. */
    double failureRate() {
        return Double.NaN;
    }

    final boolean countIfSlow(long nanos) {
        boolean slow = nanos > settings.slowNanos();
        if (slow) {
            breaker.countSlow();
        }
        return slow;
    }
}
