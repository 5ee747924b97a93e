package dev.resilience.ratelimit;

import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How many calls there may be in a period: in every window of length t at most {@code burst + t · permits / period}. Immutable;
 * every value is checked when the record is made.
 *
 * @param permits calls in a period; default 100, at least 1, at most one for each nanosecond of the period
 * @param period default 1 s, longer than zero, at most 10,000 days
 * @param burst calls that may come at once after a pause; default {@code null}, as many as {@code permits}. At least 1; the
 *     permits of a burst come back within 30 years
 * @param maxWait how long a call waits for its permit at the most; default 0, which refuses at once. A call whose wait would be
 *     longer is refused at once too
 * @param maxKeys limits that are kept where there is one per key; default 10,000, at least 1
 * @param store where the permits are counted; default {@link Store#MEMORY}
 * @param onStoreFailure what holds while a shared store does not answer; default {@link OnStoreFailure#SHARE}
 */
public record RateLimitPolicy(
        int permits,
        Duration period,
        @Nullable Integer burst,
        Duration maxWait,
        int maxKeys,
        Store store,
        OnStoreFailure onStoreFailure) {

    public RateLimitPolicy {
        Require.atLeast(1, "permits", permits);
        Require.positive("period", period);
        Require.that(period.compareTo(Duration.ofDays(10_000)) <= 0, "period", period, "must be at most 10,000 days");
        long nanos = Durations.toNanos(period);
        Require.that(nanos >= permits, "permits", permits, "must be at most one for each nanosecond of period");
        int capacity = burst == null ? permits : burst;
        Require.atLeast(1, "burst", capacity);
        boolean fills =
                (double) nanos / permits * capacity <= Duration.ofDays(30 * 365).toNanos();
        Require.that(fills, "period", period, "must bring the permits of a burst back within 30 years");
        Require.notNegative("max-wait", maxWait);
        Require.atLeast(1, "max-keys", maxKeys);
    }

    /** Where permits are counted. */
    public enum Store {
        /** In this process alone. */
        MEMORY,
        /** In Redis, for all processes. */
        REDIS,
        /** In a database, for all processes. */
        JDBC
    }

    /** What holds while a shared store does not answer. */
    public enum OnStoreFailure {
        /** Every call is let through. */
        OPEN,
        /** Every call is refused. */
        CLOSED,
        /** Each process has its part of the permits, by the number of processes that was seen last. */
        SHARE
    }

    /** Calls that may come at once after a pause: {@link #burst}, or {@link #permits} where it is not set. */
    public int capacity() {
        return burst == null ? permits : burst;
    }

    /** A hundred calls a second, refused at once beyond that, counted in this process. */
    public static RateLimitPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private int permits = 100;
        private Duration period = Duration.ofSeconds(1);
        private @Nullable Integer burst;
        private Duration maxWait = Duration.ZERO;
        private int maxKeys = 10_000;
        private Store store = Store.MEMORY;
        private OnStoreFailure onStoreFailure = OnStoreFailure.SHARE;

        private Builder() {}

        /** Calls in a period; default 100, at least 1. */
        public Builder permits(int calls) {
            permits = calls;
            return this;
        }

        /** The period; default 1 s, longer than zero, at most 10,000 days. */
        public Builder period(Duration length) {
            period = length;
            return this;
        }

        /** Calls that may come at once after a pause; default {@code null}, as many as {@link #permits}. */
        public Builder burst(@Nullable Integer calls) {
            burst = calls;
            return this;
        }

        /** How long a call waits at the most; default 0, which refuses at once. */
        public Builder maxWait(Duration atMost) {
            maxWait = atMost;
            return this;
        }

        /** Limits that are kept where there is one per key; default 10,000, at least 1. */
        public Builder maxKeys(int keys) {
            maxKeys = keys;
            return this;
        }

        /** Where the permits are counted; default {@link Store#MEMORY}. */
        public Builder store(Store place) {
            store = place;
            return this;
        }

        /** What holds while a shared store does not answer; default {@link OnStoreFailure#SHARE}. */
        public Builder onStoreFailure(OnStoreFailure then) {
            onStoreFailure = then;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public RateLimitPolicy build() {
            return new RateLimitPolicy(permits, period, burst, maxWait, maxKeys, store, onStoreFailure);
        }
    }
}
