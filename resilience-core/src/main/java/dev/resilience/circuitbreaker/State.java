package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One stay of a circuit breaker in one of its states, under one policy. Every transition makes a new instance, and so
 * does every change of the policy: this is what tells a result of now from a result of the past.
 *
 * <p>A state takes its settings from the one before it. So there is no moment at which the two do not fit, and none at
 * which a transition could bring back a policy that was replaced.
 */
abstract sealed class State
        permits ClosedState, State.OpenState, HalfOpenState, State.ForcedOpenState, State.DisabledState {

    private static final Duration SOON = Duration.ofSeconds(1);

    final CircuitState name;
    final CircuitBreaker breaker;
    final Settings settings;

    /** Why it is not closed, or was not the last time; {@code null} if it always was. */
    final @Nullable Outage outage;

    /** When the stay began. */
    final Moment since;

    /** The message of refusals; put together for the first of them, maybe by several threads at once. */
    private @Nullable String explanation;

    /**
     * What an admitted call holds and gives back with how it ended, once; of a probe only what is said first counts. It belongs
     * to the state instance that admitted the call: a call let in while CLOSED can say nothing to the HALF_OPEN that came later.
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

    State(CircuitState name, CircuitBreaker breaker, Settings settings, @Nullable Outage outage, Moment since) {
        this.name = name;
        this.breaker = breaker;
        this.settings = settings;
        this.outage = outage;
        this.since = since;
    }

    /** Whether calls are refused until it has become another state, all of them or all but probes. */
    final boolean isOpen() {
        return switch (name) {
            case OPEN, HALF_OPEN, FORCED_OPEN -> true;
            case CLOSED, METRICS_ONLY, DISABLED -> false;
        };
    }

    /** Why a state that refuses calls does. */
    final Outage present() {
        return Objects.requireNonNull(outage);
    }

    /**
     * Lets a call in, or returns {@code null}. Then {@link CircuitBreaker#admit} refuses it if the breaker is still in this
     * state, and asks the state that has followed otherwise: an open period that is over makes the move itself.
     */
    abstract @Nullable Permit tryAdmit();

    /** The same state under another policy, begun anew but for what an open one has to remember. */
    abstract State under(Settings other);

    /** What a call gets that is not let in. */
    CircuitOpenException refusal() {
        return refusal(SOON, false);
    }

    final CircuitOpenException refusal(Duration retryAfter, boolean probeFollows) {
        String message = explanation;
        if (message == null) {
            message = "Circuit breaker '" + breaker.name() + "' is " + explanation();
            explanation = message;
        }
        Throwable failure = outage == null ? null : outage.failure();
        return new CircuitOpenException(breaker.name(), retryAfter, message, probeFollows, failure);
    }

    /** Why calls are refused and since when, as the end of a sentence; asked where some are. */
    String explanation() {
        return "not open any more";
    }

    /** The share of failures in the window, or in the one that opened the breaker; NaN where too few calls tell. */
    double failureRate() {
        return outage != null && isOpen() ? outage.start().failureRate() : Double.NaN;
    }

    /** What the window holds, or held when it opened the breaker. */
    WindowCounts windowCounts() {
        return outage != null && isOpen() ? outage.start().counts() : WindowCounts.NONE;
    }

    /** The wall time in so long. It moves with a wall clock that is set, because the open period does not. */
    final Instant wallTimeIn(Duration wait) {
        return breaker.time.now().plus(wait);
    }

    final boolean countIfSlow(long nanos) {
        boolean slow = nanos > settings.slowNanos();
        if (slow) {
            breaker.slowCalls.increment();
        }
        return slow;
    }

    /** Calls are refused until an operator says otherwise. */
    static final class ForcedOpenState extends State {

        ForcedOpenState(CircuitBreaker breaker, Settings settings, Outage outage, Moment since) {
            super(CircuitState.FORCED_OPEN, breaker, settings, outage, since);
        }

        @Override
        @Nullable
        Permit tryAdmit() {
            return null;
        }

        @Override
        State under(Settings other) {
            return new ForcedOpenState(breaker, other, present(), since);
        }

        /** It is not known when to come back; an open period is as good a time as any. */
        @Override
        CircuitOpenException refusal() {
            return refusal(settings.policy().openDuration(), false);
        }

        @Override
        String explanation() {
            return "forced open since " + since.text() + ", until an operator or the application says otherwise";
        }
    }

    /** Calls pass, and nothing is counted. */
    static final class DisabledState extends State implements Permit {

        DisabledState(CircuitBreaker breaker, Settings settings, @Nullable Outage last, Moment since) {
            super(CircuitState.DISABLED, breaker, settings, last, since);
        }

        @Override
        Permit tryAdmit() {
            return this;
        }

        @Override
        State under(Settings other) {
            return new DisabledState(breaker, other, outage, since);
        }

        @Override
        public Settings settings() {
            return settings;
        }

        @Override
        public void succeeded(long nanos) {}

        @Override
        public void failed(long nanos, @Nullable Throwable failure) {}

        @Override
        public void ignored() {}
    }

    /** Calls are refused until the open period is over; the first call after that moves the breaker to half-open. */
    static final class OpenState extends State {

        private static final Duration SHORTEST_HINT = Duration.ofMillis(1);

        private final long openNanos;

        /** @param since from when on the open period counts, which may be over by now */
        OpenState(CircuitBreaker breaker, Settings settings, Outage outage, Moment since) {
            super(CircuitState.OPEN, breaker, settings, outage, since);
            this.openNanos = openNanos(settings.policy(), outage.failedProbes());
        }

        @Override
        @Nullable
        Permit tryAdmit() {
            if (isProbeDue()) {
                breaker.move(this, new HalfOpenState(breaker, settings, present(), breaker.now()));
            }
            return null;
        }

        @Override
        State under(Settings other) {
            return new OpenState(breaker, other, present(), since);
        }

        boolean isProbeDue() {
            return remainingNanos() <= 0;
        }

        /** By the monotonic clock; zero or less if the next call is a probe. */
        Duration untilNextProbe() {
            return Duration.ofNanos(remainingNanos());
        }

        @Override
        CircuitOpenException refusal() {
            return refusal(Durations.max(SHORTEST_HINT, Duration.ofNanos(remainingNanos())), true);
        }

        @Override
        String explanation() {
            return "open: " + present().explanation() + "; open since "
                    + present().start().at().text();
        }

        /** How long calls are refused in all, before the next one is a probe. */
        Duration openDuration() {
            return Duration.ofNanos(openNanos);
        }

        /** Each probing that failed since it opened makes the period longer. */
        private static long openNanos(CircuitBreakerPolicy policy, int failedProbes) {
            double base = (double) Durations.toNanos(policy.openDuration());
            double grown = base * Math.pow(policy.openDurationMultiplier(), failedProbes);
            double limit = Math.max(base, (double) Durations.toNanos(policy.maxOpenDuration()));
            return (long) Math.min(limit, grown);
        }

        private long remainingNanos() {
            return openNanos - (breaker.time.nanoTime() - since.nanoTime());
        }
    }
}
