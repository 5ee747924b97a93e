package dev.resilience.hedge;

import dev.resilience.policy.Require;
import java.time.Duration;

/**
 * When a second attempt begins beside a slow first one. Immutable; every value is checked when the record is made.
 *
 * @param maxExtraLoad second attempts for each call; default 0.01, above 0 and at most 1. A second attempt begins when the first
 *     has taken longer than all but this share of calls take
 * @param minimumDelay how long a first attempt has at the least; default 10 ms, longer than zero
 * @param sideEffectFree whether a method may be called twice because it changes nothing; default false: calls are hedged only
 *     inside an idempotent call that has its key
 */
public record HedgePolicy(double maxExtraLoad, Duration minimumDelay, boolean sideEffectFree) {

    public HedgePolicy {
        Require.ratio("max-extra-load", maxExtraLoad);
        Require.that(maxExtraLoad > 0, "max-extra-load", maxExtraLoad, "must be above 0");
        Require.positive("minimum-delay", minimumDelay);
    }

    /** One second attempt for a hundred calls, of calls that have an idempotency key. */
    public static HedgePolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private double maxExtraLoad = 0.01;
        private Duration minimumDelay = Duration.ofMillis(10);
        private boolean sideEffectFree;

        private Builder() {}

        /** Second attempts for each call; default 0.01, above 0 and at most 1. */
        public Builder maxExtraLoad(double perCall) {
            maxExtraLoad = perCall;
            return this;
        }

        /** How long a first attempt has at the least; default 10 ms, above zero. */
        public Builder minimumDelay(Duration atLeast) {
            minimumDelay = atLeast;
            return this;
        }

        /** Whether a method may be called twice because it changes nothing; default false. */
        public Builder sideEffectFree(boolean changesNothing) {
            sideEffectFree = changesNothing;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public HedgePolicy build() {
            return new HedgePolicy(maxExtraLoad, minimumDelay, sideEffectFree);
        }
    }
}
