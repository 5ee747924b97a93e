package dev.resilience.circuitbreaker;

import dev.resilience.event.CircuitState;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When to stop calling, for how long, and how to find out that calling makes sense again. Immutable; every value is
 * checked when the record is made.
 *
 * @param failureThreshold consecutive failures that open it while at least {@code failureRateThreshold} of the calls of the
 *     last second failed, at once where that is 0; default 5, 0 switches this off
 * @param failureRateThreshold share of failed calls at which it opens once {@code minimumCalls} are in the window;
 *     default 0.5, 0 switches this off
 * @param minimumCalls calls that must be in the window before a rate means anything; default 10, at least 1
 * @param window what the rates are taken over; default the last 60 s
 * @param slowCallDuration a call longer than this is slow; default none
 * @param slowCallRateThreshold share of slow calls at which it opens; default 1.0, 0 switches this off
 * @param openDuration how long it stays open; then the next call is a probe; default 30 s
 * @param openDurationMultiplier how much longer each open period after a failed probing is; default 2.0, at least 1
 * @param maxOpenDuration the longest that open periods grow to; default 5 min, not shorter than {@code openDuration}
 * @param ramp after a probing has closed it, the share of calls that is let in grows from a tenth to all over this time, and
 *     the others are refused; default 0, which lets all in at once
 * @param halfOpen how it is probed
 * @param recordOn exceptions that count as failures whatever the classification says
 * @param ignoreOn exceptions that do not count; the class closest in the hierarchy wins, this list wins a tie
 * @param initialState the state at startup; default {@link CircuitState#CLOSED}, never {@link CircuitState#HALF_OPEN}
 * @param health what an open breaker means for the application's health; default {@link Health#IGNORE}
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
        CircuitState initialState,
        Health health) {

    public CircuitBreakerPolicy {
        Require.atLeast(0, "failure-threshold", failureThreshold);
        Require.ratio("failure-rate-threshold", failureRateThreshold);
        Require.atLeast(1, "minimum-calls", minimumCalls);
        Require.positive("slow-call-duration", slowCallDuration);
        Require.ratio("slow-call-rate-threshold", slowCallRateThreshold);
        Require.positive("open-duration", openDuration);
        boolean grows = openDurationMultiplier >= 1 && openDurationMultiplier < Double.POSITIVE_INFINITY;
        Require.that(grows, "open-duration-multiplier", openDurationMultiplier, "must be a number of at least 1");
        Require.positive("max-open-duration", maxOpenDuration);
        Require.atLeast(openDuration, "open-duration", "max-open-duration", maxOpenDuration);
        Require.notNegative("ramp", ramp);
        window.requireRoomFor(minimumCalls);
        boolean begins = initialState != CircuitState.HALF_OPEN;
        Require.that(begins, "initial-state", initialState, "must be closed, open, forced-open or disabled");
        recordOn = Require.exceptions("record-on", recordOn);
        ignoreOn = Require.exceptions("ignore-on", ignoreOn);
    }

    /**
     * What the rates are taken over.
     *
     * @param type time or a number of calls; default {@link Type#TIME}
     * @param duration how far a window of time reaches back; default 60 s. It slides by a twentieth of its length. Calls
     *     are recorded by a clock that may be some 20 ms behind, or more on a machine too busy to keep time: a call may
     *     count for that much longer or shorter, so a window of less than half a second is a rough one
     * @param size how many calls a window of calls holds; default 100, at least 1, at most 1,000,000
     */
    public record Window(Type type, Duration duration, int size) {

        /** The last minute. */
        public static final Window DEFAULT = new Window(Type.TIME, Duration.ofSeconds(60), 100);

        public Window {
            Require.positive("window.duration", duration);
            Require.between(1, CountWindow.LARGEST, "window.size", size);
        }

        private void requireRoomFor(int minimumCalls) {
            if (type == Type.COUNT && minimumCalls > size) {
                String cure =
                        "must not be above window.size, which is " + size + ": such a window never has so many calls";
                throw new InvalidPolicyException("minimum-calls", minimumCalls, cure, "window.size", size);
            }
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
     * @param successThreshold successes that close the breaker, one failure opens it again; default 2
     * @param probeTimeout a probe that has not answered by then gives its place back and counts neither way; default 30
     *     s
     */
    public record HalfOpen(int maxConcurrent, int successThreshold, Duration probeTimeout) {

        /** One probe at a time; two successes close. */
        public static final HalfOpen DEFAULT = new HalfOpen(1, 2, Duration.ofSeconds(30));

        private static final int MOST_PROBES = 10_000;

        public HalfOpen {
            Require.between(1, MOST_PROBES, "half-open.max-concurrent", maxConcurrent);
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

    /**
     * Five failures in a row open it if half of the calls of the last second failed, and so do failures of half of at
     * least ten calls in the last minute. It stays open for 30 seconds, which each probing that fails doubles, up to five
     * minutes.
     */
    public static CircuitBreakerPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; not safe for use by many threads. */
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
        private CircuitState initialState = CircuitState.CLOSED;
        private Health health = Health.IGNORE;

        private Builder() {}

        public Builder failureThreshold(int value) {
            failureThreshold = value;
            return this;
        }

        public Builder failureRateThreshold(double value) {
            failureRateThreshold = value;
            return this;
        }

        public Builder minimumCalls(int value) {
            minimumCalls = value;
            return this;
        }

        public Builder window(Window value) {
            window = value;
            return this;
        }

        public Builder slowCallDuration(@Nullable Duration value) {
            slowCallDuration = value;
            return this;
        }

        public Builder slowCallRateThreshold(double value) {
            slowCallRateThreshold = value;
            return this;
        }

        public Builder openDuration(Duration value) {
            openDuration = value;
            return this;
        }

        public Builder openDurationMultiplier(double value) {
            openDurationMultiplier = value;
            return this;
        }

        public Builder maxOpenDuration(Duration value) {
            maxOpenDuration = value;
            return this;
        }

        public Builder ramp(Duration value) {
            ramp = value;
            return this;
        }

        public Builder halfOpen(HalfOpen value) {
            halfOpen = value;
            return this;
        }

        public Builder recordOn(List<Class<? extends Throwable>> value) {
            recordOn = value;
            return this;
        }

        public Builder ignoreOn(List<Class<? extends Throwable>> value) {
            ignoreOn = value;
            return this;
        }

        public Builder initialState(CircuitState value) {
            initialState = value;
            return this;
        }

        public Builder health(Health value) {
            health = value;
            return this;
        }

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
                    initialState,
                    health);
        }
    }
}
