package dev.resilience.retry;

import dev.resilience.policy.Require;
import java.time.Duration;

/**
 * How many retries are allowed for how many calls. Immutable; every value is checked when the record is made.
 *
 * @param maxRatio retries allowed for each first attempt in the window; default 0.1, 0 to 1
 * @param window the length of the sliding window; default 10 s
 * @param minRetriesPerSecond retries allowed per second of the window however few calls there are; default 10, at least
 *     1
 */
public record RetryBudgetPolicy(double maxRatio, Duration window, int minRetriesPerSecond) {

    public RetryBudgetPolicy {
        Require.ratio("max-ratio", maxRatio);
        Require.positive("window", window);
        Require.atLeast(1, "min-retries-per-second", minRetriesPerSecond);
    }

    /** A tenth of the calls, and ten retries per second. */
    public static RetryBudgetPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private double maxRatio = 0.1;
        private Duration window = Duration.ofSeconds(10);
        private int minRetriesPerSecond = 10;

        private Builder() {}

        /** Retries for each first attempt in the window; default 0.1, 0 to 1. */
        public Builder maxRatio(double retriesPerCall) {
            maxRatio = retriesPerCall;
            return this;
        }

        /** Length of the sliding window; default 10 s, above zero. */
        public Builder window(Duration length) {
            window = length;
            return this;
        }

        /** Retries a second however few calls there are; default 10, at least 1. */
        public Builder minRetriesPerSecond(int retries) {
            minRetriesPerSecond = retries;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public RetryBudgetPolicy build() {
            return new RetryBudgetPolicy(maxRatio, window, minRetriesPerSecond);
        }
    }
}
