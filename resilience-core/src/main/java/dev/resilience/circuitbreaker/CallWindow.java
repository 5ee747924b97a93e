package dev.resilience.circuitbreaker;

import dev.resilience.time.TimeSource;

/** The recent calls that rates are taken over. Lock-free; recording allocates nothing. */
interface CallWindow {

    /** The window that the policy describes, or one that does nothing if the policy looks at no rate. */
    static CallWindow of(CircuitBreakerPolicy policy, TimeSource time) {
        boolean slowCallsMatter = policy.slowCallDuration() != null && policy.slowCallRateThreshold() > 0;
        if (policy.failureRateThreshold() == 0 && !slowCallsMatter) {
            return NoWindow.INSTANCE;
        }
        Thresholds thresholds = new Thresholds(
                policy.minimumCalls(),
                policy.failureRateThreshold(),
                slowCallsMatter ? policy.slowCallRateThreshold() : 0);
        return switch (policy.window().type()) {
            case TIME -> new TimeWindow(policy.window().duration(), thresholds, time);
            case COUNT -> new CountWindow(policy.window().size(), thresholds);
        };
    }

    /**
     * Records a call that ended, and tells whether a rate has reached its threshold. A call that cannot have moved a rate
     * upwards may be told that none has.
     */
    boolean record(boolean failed, boolean slow);

    /** The share of failures, NaN below the minimum of calls. */
    double failureRate();

    /** As {@link #failureRate()}, at the time of the last call that was recorded: what a threshold was held against. */
    default double failureRateAtLastCall() {
        return failureRate();
    }

    /** The numbers that a window is held against; a rate of 0 is off. */
    record Thresholds(int minimumCalls, double failureRate, double slowCallRate) {

        boolean reached(long calls, long failures, long slowCalls) {
            return calls >= minimumCalls
                    && (reached(failureRate, failures, calls) || reached(slowCallRate, slowCalls, calls));
        }

        double failureRate(long calls, long failures) {
            return calls >= minimumCalls ? (double) failures / calls : Double.NaN;
        }

        private static boolean reached(double threshold, long part, long calls) {
            return threshold > 0 && (double) part / calls >= threshold;
        }
    }

    /** For policies that look at consecutive failures alone. */
    enum NoWindow implements CallWindow {
        INSTANCE;

        @Override
        public boolean record(boolean failed, boolean slow) {
            return false;
        }

        @Override
        public double failureRate() {
            return Double.NaN;
        }
    }
}
