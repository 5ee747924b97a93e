package dev.resilience.retry;

import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long to wait before each retry: d = min(max-delay, base-delay · multiplier<sup>n</sup>) with n = 0 for the first
 * retry, or as the {@link Strategy} says, scattered by the {@link Jitter}. Saturates at max-delay for every n; never negative.
 *
 * @param strategy how the delay grows; default {@link Strategy#EXPONENTIAL}
 * @param baseDelay the first delay; default 1 s, may be zero
 * @param multiplier the growth from one retry to the next; default 2.0, at least 1. Without effect on other strategies than
 *     {@link Strategy#EXPONENTIAL}
 * @param maxDelay the longest delay before jitter; default 30 s, longer than zero and not shorter than the base delay
 * @param jitter how delays are scattered; default {@link Jitter#FULL}
 * @param jitterFactor how far {@link Jitter#PROPORTIONAL} reaches, 0 to 1; default 0.5
 * @param function says how long to wait in place of all others but the longest delay; default none
 */
public record Backoff(
        Strategy strategy,
        Duration baseDelay,
        double multiplier,
        Duration maxDelay,
        Jitter jitter,
        double jitterFactor,
        @Nullable BackoffFunction function) {

    /** The default backoff: 1 s, 2 s, 4 s … 30 s, with full jitter. */
    public static final Backoff DEFAULT =
            new Backoff(Strategy.EXPONENTIAL, Duration.ofSeconds(1), 2.0, Duration.ofSeconds(30), Jitter.FULL, 0.5);

    public Backoff {
        Require.notNegative("backoff.base-delay", baseDelay);
        Require.positive("backoff.max-delay", maxDelay);
        Require.multiplier("backoff.multiplier", multiplier);
        Require.ratio("backoff.jitter-factor", jitterFactor);
        Require.atLeast(baseDelay, "backoff.base-delay", "backoff.max-delay", maxDelay);
    }

    /** Without a function. */
    public Backoff(
            Strategy strategy,
            Duration baseDelay,
            double multiplier,
            Duration maxDelay,
            Jitter jitter,
            double jitterFactor) {
        this(strategy, baseDelay, multiplier, maxDelay, jitter, jitterFactor, null);
    }

    /** How the delay grows from one retry to the next. */
    public enum Strategy {
        /** Every delay is multiplier times the one before. */
        EXPONENTIAL,
        /** Every delay is longer than the one before by the base delay: base-delay · (n + 1). */
        LINEAR,
        /** Every delay is the base delay. */
        FIXED
    }

    /**
     * The same delay before every retry, without jitter. For tests and for a single client: many clients with the same
     * delay come back all at once.
     *
     * @param delay at least 0
     */
    public static Backoff fixed(Duration delay) {
        Duration longest = delay.compareTo(DEFAULT.maxDelay) > 0 ? delay : DEFAULT.maxDelay;
        return new Backoff(Strategy.FIXED, delay, DEFAULT.multiplier, longest, Jitter.NONE, DEFAULT.jitterFactor);
    }

    /** Starts from {@link #DEFAULT}. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The wait before a retry; the function is not asked.
     *
     * @param retry how many retries were made before this one: 0 for the first
     * @param previous the wait before the last retry, {@link #baseDelay()} if there was none
     * @param random a number from 0 (inclusive) to 1 (exclusive)
     */
    public Duration delay(int retry, Duration previous, double random) {
        double plain = plainNanos(retry);
        double delay = switch (jitter) {
            case NONE -> plain;
            case FULL -> plain * random;
            case EQUAL -> plain / 2 + plain / 2 * random;
            case PROPORTIONAL -> plain + plain * jitterFactor * random;
            case DECORRELATED -> Math.min(maxNanos(), decorrelated(Durations.toNanos(previous), random));
        };
        return Duration.ofNanos((long) delay);
    }

    /**
     * The sum of the longest waits that this many retries can have, hints of the server left aside: what a caller may
     * have to bear. A function may always return the longest delay.
     */
    public Duration worstCase(int retries) {
        if (function != null) {
            return Duration.ofNanos((long) (maxNanos() * retries));
        }
        int computed = Math.min(retries, 10_000); // from there on every delay counts as the longest of all
        double sum = 0;
        for (int retry = 0; retry < computed; retry++) {
            sum += longestNanos(retry);
        }
        sum += (double) (retries - computed) * longestNanos(Integer.MAX_VALUE);
        return Duration.ofNanos((long) sum);
    }

    private double decorrelated(long previousNanos, double random) {
        double base = Durations.toNanos(baseDelay);
        return base + Math.max(0, 3.0 * previousNanos - base) * random;
    }

    private double plainNanos(int retry) {
        double base = Durations.toNanos(baseDelay);
        if (base == 0) {
            return 0; // zero times an infinite power would not be a number
        }
        double grown = switch (strategy) {
            case EXPONENTIAL -> base * Math.pow(multiplier, retry);
            case LINEAR -> base * (retry + 1.0);
            case FIXED -> base;
        };
        return Math.min(maxNanos(), grown);
    }

    private double longestNanos(int retry) {
        return switch (jitter) {
            case NONE, FULL, EQUAL -> plainNanos(retry);
            case PROPORTIONAL -> plainNanos(retry) * (1 + jitterFactor);
            case DECORRELATED -> Math.min(maxNanos(), Durations.toNanos(baseDelay) * Math.pow(3, retry + 1.0));
        };
    }

    private double maxNanos() {
        return Durations.toNanos(maxDelay);
    }

    /** Builds a backoff; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private Strategy strategy = DEFAULT.strategy;
        private Duration baseDelay = DEFAULT.baseDelay;
        private double multiplier = DEFAULT.multiplier;
        private Duration maxDelay = DEFAULT.maxDelay;
        private Jitter jitter = DEFAULT.jitter;
        private double jitterFactor = DEFAULT.jitterFactor;
        private @Nullable BackoffFunction function;

        private Builder() {}

        /** How the delay grows; default {@link Strategy#EXPONENTIAL}. */
        public Builder strategy(Strategy growth) {
            strategy = growth;
            return this;
        }

        /** The first delay; default 1 s, at least 0, not longer than the longest. */
        public Builder baseDelay(Duration first) {
            baseDelay = first;
            return this;
        }

        /** The growth from one delay to the next of {@link Strategy#EXPONENTIAL}; default 2.0, at least 1. */
        public Builder multiplier(double growth) {
            multiplier = growth;
            return this;
        }

        /** The longest delay before jitter; default 30 s, above zero. */
        public Builder maxDelay(Duration longest) {
            maxDelay = longest;
            return this;
        }

        /** How delays are scattered; default {@link Jitter#FULL}. */
        public Builder jitter(Jitter scatter) {
            jitter = scatter;
            return this;
        }

        /** How far {@link Jitter#PROPORTIONAL} reaches, from 0 to 1; default 0.5. */
        public Builder jitterFactor(double share) {
            jitterFactor = share;
            return this;
        }

        /** Says how long to wait, in place of all others but the longest delay; default {@code null}. */
        public Builder function(@Nullable BackoffFunction waits) {
            function = waits;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public Backoff build() {
            return new Backoff(strategy, baseDelay, multiplier, maxDelay, jitter, jitterFactor, function);
        }
    }
}
