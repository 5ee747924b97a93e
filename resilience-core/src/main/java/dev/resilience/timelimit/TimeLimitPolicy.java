package dev.resilience.timelimit;

import dev.resilience.policy.Require;
import java.time.Duration;

/**
 * How long a call may take and where it runs. Immutable; every value is checked when the record is made.
 *
 * @param timeout how long a call takes at the most; default 5 s, longer than zero. Longer than 292 years counts as 292
 *     years
 * @param thread where a call runs; default {@link RunsOn#CALLER}
 * @param enforce share of late calls that is really ended, 0 to 1; default 1. The others go on, their own end is what the
 *     caller gets, and they are counted as {@code would_reject}. A deadline ends calls all the same
 */
public record TimeLimitPolicy(Duration timeout, RunsOn thread, double enforce) {

    public TimeLimitPolicy {
        Require.positive("timeout", timeout);
        Require.ratio("enforce", enforce);
    }

    /** Where a call runs. */
    public enum RunsOn {
        /**
         * On its caller's thread, which is interrupted when the time is over; the caller gets its exception as soon as
         * the call lets go.
         */
        CALLER,
        /**
         * On a worker thread, which is interrupted when the time is over; the caller gets its exception at that moment,
         * whatever the call does. A thread-bound transaction stays behind on the caller's thread.
         */
        WORKER
    }

    /** Five seconds, on the caller's thread. */
    public static TimeLimitPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private Duration timeout = Duration.ofSeconds(5);
        private RunsOn thread = RunsOn.CALLER;
        private double enforce = 1;

        private Builder() {}

        /** How long a call takes at the most; default 5 s, above zero. */
        public Builder timeout(Duration atMost) {
            timeout = atMost;
            return this;
        }

        /** Where a call runs; default {@link RunsOn#CALLER}. */
        public Builder thread(RunsOn place) {
            thread = place;
            return this;
        }

        /** Share of late calls that is really ended, from 0 to 1; default 1. The others go on and are counted. */
        public Builder enforce(double share) {
            enforce = share;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public TimeLimitPolicy build() {
            return new TimeLimitPolicy(timeout, thread, enforce);
        }
    }
}
