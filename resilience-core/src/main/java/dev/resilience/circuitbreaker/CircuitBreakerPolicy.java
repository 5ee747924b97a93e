package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.CountWindow;
import dev.resilience.event.CircuitState;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * When to stop calling, for how long, and how to find out when to call again. Immutable; every value is checked.
 *
 * @param failureThreshold consecutive failures that open it while at least {@code failureRateThreshold} of the calls of
 *     the last second failed, at once if that is 0; default 5, 0 switches this off
 * @param failureRateThreshold share of failures that opens it, once there are {@code minimumCalls}; default 0.5, 0 off
 * @param minimumCalls calls that must be in the window before a rate means anything; default 10, at least 1
 * @param window what the rates are taken over; default the last 60 s
 * @param slowCallDuration a call longer than this is slow; default none
 * @param slowCallRateThreshold share of slow calls at which it opens; default 1.0, 0 switches this off
 * @param openDuration how long it stays open; then the next call is a probe; default 30 s
 * @param openDurationMultiplier how much longer each open period after a failed probing is; default 2.0, at least 1
 * @param maxOpenDuration the longest that open periods grow to; default 5 min, not shorter than {@code openDuration}
 * @param ramp how long after closing the share of calls that it lets in grows, from a tenth to all; default 0, at once
 * @param halfOpen how it is probed
 * @param recordOn exceptions that count as failures whatever the classification says
 * @param ignoreOn exceptions that do not count; the class closest in the hierarchy wins, this list wins a tie
 * @param recordOnResult results that count as failures, though no exception is thrown; default none. One that throws is
 *     logged, and the call counts as a success. Called on the thread that ends the call: it must be quick, and safe for use
 *     by many threads. Policies are equal if they have equal rules, which of lambdas only the same instance is
 * @param initialState the state at startup; default {@link CircuitState#CLOSED}, never {@link CircuitState#HALF_OPEN}
 * @param health what an open breaker means for the application's health; default {@link Health#IGNORE}
 * @param pauseListeners whether the containers of the message listeners that it protects pause while it is OPEN, until the
 *     next call is a probe, or FORCED_OPEN; default {@code false}. For the adapters of frameworks: a breaker in code ignores it
 * @param enforce share of refusals that is really made, 0 to 1; default 1. The others pass, are counted as {@code
 *     would_reject} and say nothing about the callee. FORCED_OPEN refuses all calls; OPEN with 0 neither
 *     pauses containers nor turns the application DOWN
 * @param maxKeys how many keys have a circuit breaker of their own where methods have a key; default 10,000, at least 1. Beyond them the
 *     least recently used go, one that is not CLOSED after all others
 */
public record CircuitBreakerPolicy(
        int failureThreshold,
        double failureRateThreshold,
        int minimumCalls,
        Window window,
        @Nullable Duration slowCallDuration,
        double slowCallRateThreshold,
        Duration openDuration,
        double openDurationMultiplier,
        Duration maxOpenDuration,
        Duration ramp,
        HalfOpen halfOpen,
        List<Class<? extends Throwable>> recordOn,
        List<Class<? extends Throwable>> ignoreOn,
        @Nullable Predicate<@Nullable Object> recordOnResult,
        CircuitState initialState,
        Health health,
        boolean pauseListeners,
        double enforce,
        int maxKeys) {

    public CircuitBreakerPolicy {
        Require.atLeast(0, "failure-threshold", failureThreshold);
        Require.ratio("failure-rate-threshold", failureRateThreshold);
        Require.atLeast(1, "minimum-calls", minimumCalls);
        Require.positive("slow-call-duration", slowCallDuration);
        Require.ratio("slow-call-rate-threshold", slowCallRateThreshold);
        Require.positive("open-duration", openDuration);
        Require.multiplier("open-duration-multiplier", openDurationMultiplier);
        Require.positive("max-open-duration", maxOpenDuration);
        Require.atLeast(openDuration, "open-duration", "max-open-duration", maxOpenDuration);
        Require.notNegative("ramp", ramp);
        if (window.type() == Window.Type.COUNT && minimumCalls > window.size()) {
            String cure = "must not be above window.size, which is " + window.size()
                    + ": such a window never has so many calls";
            throw new InvalidPolicyException("minimum-calls", minimumCalls, cure, "window.size", window.size());
        }
        boolean begins = initialState != CircuitState.HALF_OPEN;
        Require.that(
                begins, "initial-state", initialState, "must be closed, open, forced-open, disabled or metrics-only");
        recordOn = Require.exceptions("record-on", recordOn);
        ignoreOn = Require.exceptions("ignore-on", ignoreOn);
        Require.ratio("enforce", enforce);
        Require.atLeast(1, "max-keys", maxKeys);
    }

    /**
     * What the rates are taken over.
     *
     * @param type time or a number of calls; default {@link Type#TIME}
     * @param duration how far a window of time reaches back; default 60 s. Rough below half a second: it slides by a
     *     twentieth of its length, and its clock may be 20 ms behind, or more on a busy machine
     * @param size how many calls a window of calls holds; default 100, at least 1, at most 1,000,000
     */
    public record Window(Type type, Duration duration, int size) {

        /** The last minute. */
        public static final Window DEFAULT = new Window(Type.TIME, Duration.ofSeconds(60), 100);

        public Window {
            Require.positive("window.duration", duration);
            Require.between(1, CountWindow.LARGEST, "window.size", size);
        }

        /** What a window is measured in. */
        public enum Type {
            /** The calls that ended in the last {@code duration}. */
            TIME,
            /** The last {@code size} calls. */
            COUNT
        }
    }

    /**
     * How it is found out whether calling makes sense again.
     *
     * @param maxConcurrent probes in flight; default 1, at most 10,000
     * @param successThreshold successes that close the breaker, one failure or slow probe opens it again; default 2
     * @param probeTimeout a probe that takes longer gives its permit back and counts neither way; default 30 s
     */
    public record HalfOpen(int maxConcurrent, int successThreshold, Duration probeTimeout) {

        /** One probe at a time; two successes close. */
        public static final HalfOpen DEFAULT = new HalfOpen(1, 2, Duration.ofSeconds(30));

        public HalfOpen {
            Require.between(1, 10_000, "half-open.max-concurrent", maxConcurrent);
            Require.atLeast(1, "half-open.success-threshold", successThreshold);
            Require.positive("half-open.probe-timeout", probeTimeout);
        }
    }

    /** What an open breaker means for the application's health. */
    public enum Health {
        /** Nothing: the application copes. */
        IGNORE,
        /** The application is DOWN while the breaker is OPEN or FORCED_OPEN. */
        DOWN
    }

    /** Opens after 5 failures in a row or half of the calls in a minute, for 30 s, and for longer if probes fail. */
    public static CircuitBreakerPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private int failureThreshold = 5;
        private double failureRateThreshold = 0.5;
        private int minimumCalls = 10;
        private Window window = Window.DEFAULT;
        private @Nullable Duration slowCallDuration;
        private double slowCallRateThreshold = 1.0;
        private Duration openDuration = Duration.ofSeconds(30);
        private double openDurationMultiplier = 2.0;
        private Duration maxOpenDuration = Duration.ofMinutes(5);
        private Duration ramp = Duration.ZERO;
        private HalfOpen halfOpen = HalfOpen.DEFAULT;
        private List<Class<? extends Throwable>> recordOn = List.of();
        private List<Class<? extends Throwable>> ignoreOn = List.of();
        private @Nullable Predicate<@Nullable Object> recordOnResult;
        private CircuitState initialState = CircuitState.CLOSED;
        private Health health = Health.IGNORE;
        private boolean pauseListeners;
        private double enforce = 1;
        private int maxKeys = 10_000;

        private Builder() {}

        /** Consecutive failures that open it; default 5, at least 0. With 0 only rates open it. */
        public Builder failureThreshold(int failuresInARow) {
            failureThreshold = failuresInARow;
            return this;
        }

        /** Share of failed calls in the window that opens it, from 0 to 1; default 0.5. With 0 it never does. */
        public Builder failureRateThreshold(double ratio) {
            failureRateThreshold = ratio;
            return this;
        }

        /** Calls that must be in the window before a rate opens it; default 10, at least 1. */
        public Builder minimumCalls(int calls) {
            minimumCalls = calls;
            return this;
        }

        /** What the rates are taken over; default the last 60 s. */
        public Builder window(Window calls) {
            window = calls;
            return this;
        }

        /** A call that takes longer is slow; above zero, default {@code null}: no call is slow. */
        public Builder slowCallDuration(@Nullable Duration longerThan) {
            slowCallDuration = longerThan;
            return this;
        }

        /** Share of slow calls in the window that opens it, from 0 to 1; default 1.0. With 0 it never does. */
        public Builder slowCallRateThreshold(double ratio) {
            slowCallRateThreshold = ratio;
            return this;
        }

        /** How long it stays open before a call is a probe; default 30 s, above zero. */
        public Builder openDuration(Duration period) {
            openDuration = period;
            return this;
        }

        /** How much longer each open period after a failed probing is; default 2.0, at least 1. */
        public Builder openDurationMultiplier(double growth) {
            openDurationMultiplier = growth;
            return this;
        }

        /** The longest that open periods grow to; default 5 min, not shorter than the first one. */
        public Builder maxOpenDuration(Duration longestPeriod) {
            maxOpenDuration = longestPeriod;
            return this;
        }

        /** How long it lets in a growing share of calls after closing; default 0, which lets in all at once. */
        public Builder ramp(Duration length) {
            ramp = length;
            return this;
        }

        /** How it is probed; default one probe at a time, of which two close it. */
        public Builder halfOpen(HalfOpen probing) {
            halfOpen = probing;
            return this;
        }

        /** Exceptions that count as failures, subclasses included, whatever the classification says; default none. */
        public Builder recordOn(List<Class<? extends Throwable>> failures) {
            recordOn = failures;
            return this;
        }

        /** Exceptions that count neither way, subclasses included; default none. */
        public Builder ignoreOn(List<Class<? extends Throwable>> exceptions) {
            ignoreOn = exceptions;
            return this;
        }

        /** Results that count as failures, and are returned all the same; default {@code null}: none. */
        public Builder recordOnResult(@Nullable Predicate<@Nullable Object> failures) {
            recordOnResult = failures;
            return this;
        }

        /** The state that it begins in; default CLOSED, never HALF_OPEN. */
        public Builder initialState(CircuitState state) {
            initialState = state;
            return this;
        }

        /** What an open breaker means for the application's health; default {@link Health#IGNORE}. */
        public Builder health(Health whenOpen) {
            health = whenOpen;
            return this;
        }

        /** Whether containers of message listeners pause while it is open; default {@code false}. */
        public Builder pauseListeners(boolean pauses) {
            pauseListeners = pauses;
            return this;
        }

        /** Share of refusals that is really made, from 0 to 1; default 1. The others pass and are counted. */
        public Builder enforce(double share) {
            enforce = share;
            return this;
        }

        /** How many keys have a circuit breaker of their own; default 10,000, at least 1. */
        public Builder maxKeys(int keys) {
            maxKeys = keys;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public CircuitBreakerPolicy build() {
            return new CircuitBreakerPolicy(
                    failureThreshold,
                    failureRateThreshold,
                    minimumCalls,
                    window,
                    slowCallDuration,
                    slowCallRateThreshold,
                    openDuration,
                    openDurationMultiplier,
                    maxOpenDuration,
                    ramp,
                    halfOpen,
                    recordOn,
                    ignoreOn,
                    recordOnResult,
                    initialState,
                    health,
                    pauseListeners,
                    enforce,
                    maxKeys);
        }
    }
}
