package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.window.WindowCounts;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.time.Moment;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One stay of a circuit breaker in one of its states, under one policy. Every transition makes a new instance, and so
 * does every change of the policy: this is what tells a result of now from a result of the past.
 *
 * <p>A state takes its settings from the one before it. So there is no moment at which the two do not fit, and none at
 * which a transition could bring back a policy that was replaced.
 */
abstract sealed class State permits CountingState, OpenState, HalfOpenState, ForcedOpenState, DisabledState {

    private static final Duration SOON = Duration.ofSeconds(1);

    final CircuitBreaker breaker;
    final Settings settings;

    /** Why it is not closed, or was not the last time; {@code null} if it always was. */
    final @Nullable Opening opening;

    /** When the stay began. */
    final Moment since;

    /** How many moves have led here that are told of; written before others can see the state. */
    long announcements;

    /** What refused calls are told; put together for the first of them, maybe by several threads at once. */
    private @Nullable String explanation;

    /**
     * What an admitted call holds and gives back exactly once, with how it ended. It belongs to the state instance that
     * admitted the call: a call let in while CLOSED can say nothing to the HALF_OPEN that came later.
     */
    interface Permit {

        /** What the call is judged by: that of the state instance that admitted it. */
        Settings settings();

        /**
         * The call succeeded, and its result is none that counts as a failure.
         *
         * @param nanos how long it took; 0 where the policy has no use for it
         */
        void succeeded(long nanos);

        /**
         * The call failed in a way that counts.
         *
         * @param nanos how long it took; 0 where the policy has no use for it
         * @param failure what it threw; {@code null} if it is its result that counts as a failure
         */
        void failed(long nanos, @Nullable Throwable failure);

        /** The call says nothing about the callee. */
        void ignored();
    }

    State(CircuitBreaker breaker, Settings settings, @Nullable Opening opening, Moment since) {
        this.breaker = breaker;
        this.settings = settings;
        this.opening = opening;
        this.since = since;
    }

    abstract CircuitState name();

    /** Whether calls are refused until it has become another state, all of them or all but probes. */
    boolean isOpen() {
        return false;
    }

    /**
     * Lets a call in, or returns {@code null}: refused, unless the breaker is in another state by now, which is asked.
     */
    abstract @Nullable Permit tryAdmit();

    /** The same state under another policy, begun anew but for what an open one has to remember. */
    abstract State under(Settings other);

    /** What a call gets that is not let in. */
    CircuitOpenException refusal() {
        return refusal(SOON, false);
    }

    final CircuitOpenException refusal(Duration retryAfter, boolean probeFollows) {
        String told = explanation;
        if (told == null) {
            told = "Circuit breaker '" + breaker.name() + "' is " + explanation();
            explanation = told;
        }
        Throwable failure = opening == null ? null : opening.failure();
        return new CircuitOpenException(breaker.name(), retryAfter, told, probeFollows, failure);
    }

    /** Why calls are refused and since when, as the end of a sentence; asked where some are. */
    String explanation() {
        return "not open any more";
    }

    /** The share of failures in the window, or in the one that opened the breaker; NaN where too few calls tell. */
    double failureRate() {
        return opening != null && isOpen() ? opening.failureRate() : Double.NaN;
    }

    /** What the window holds, or held when it opened the breaker. */
    WindowCounts windowCounts() {
        return opening != null && isOpen() ? opening.counts() : WindowCounts.NONE;
    }

    /**
     * How long until the next call is a probe, by the monotonic clock; zero or less if it is one already, {@code null} where
     * that is not a matter of time.
     */
    @Nullable
    Duration untilNextProbe() {
        return null;
    }

    /** The wall time in so long. It moves with a wall clock that is set, because the open period does not. */
    final Instant wallTimeIn(Duration wait) {
        return breaker.time().now().plus(wait);
    }

    /** What keeps a part of the calls back; {@code null} where nothing does. */
    @Nullable
    Ramp ramp() {
        return null;
    }

    /** How the probing is going; {@code null} where there is none. */
    CircuitBreakerStatus.@Nullable Probing probing() {
        return null;
    }

    final boolean countIfSlow(long nanos) {
        boolean slow = nanos > settings.slowNanos();
        if (slow) {
            breaker.countSlow();
        }
        return slow;
    }
}
