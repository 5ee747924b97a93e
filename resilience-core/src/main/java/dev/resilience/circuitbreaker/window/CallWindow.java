package dev.resilience.circuitbreaker.window;

import org.jspecify.annotations.Nullable;

/** The recent calls that rates are taken over. Lock-free; recording allocates nothing. */
public interface CallWindow {

    /** One that does nothing. */
    static CallWindow none() {
        return NoWindow.INSTANCE;
    }

    /**
     * Records a call that ended. A call that cannot have moved a rate upwards may be told that none is too high.
     *
     * @return what the window holds if one of its rates has reached its threshold, or {@code null}
     */
    @Nullable
    WindowCounts record(boolean failed, boolean slow);

    /**
     * Moves on to the present, before the first call is recorded that ends then.
     *
     * @param now the coarse time
     * @return when to be called again: calls that end before may be recorded without
     */
    default long moveTo(long now) {
        return now + Long.MAX_VALUE;
    }

    /** Whether it has to {@linkplain #moveTo move}, and so has to know when a call ended. */
    default boolean isTimed() {
        return false;
    }

    /** How many calls have been recorded so far, those included that it holds no longer. */
    long recorded();

    WindowCounts counts();

    /** What it held at the time of the last call that was recorded: what a threshold was held against. */
    default WindowCounts countsAtLastCall() {
        return counts();
    }

    /** Whether it is the share of failures that is too high, rather than the one of slow calls. */
    boolean isFailureRateReached(WindowCounts counts);

    /** The share of failures, NaN below the minimum of calls. */
    double failureRate();

    /** The numbers that a window is held against; a rate of 0 is off. */
    record Thresholds(int minimumCalls, double failureRate, double slowCallRate) {

        /** The counts, if they reach a threshold; nothing is allocated otherwise. */
        @Nullable
        WindowCounts ifReached(long calls, long failures, long slowCalls) {
            boolean reached = calls >= minimumCalls
                    && (reached(failureRate, failures, calls) || reached(slowCallRate, slowCalls, calls));
            return reached ? new WindowCounts(calls, failures, slowCalls) : null;
        }

        boolean isFailureRateReached(WindowCounts counts) {
            return reached(failureRate, counts.failures(), counts.calls());
        }

        double failureRate(WindowCounts counts) {
            return counts.calls() >= minimumCalls ? counts.failureRate() : Double.NaN;
        }

        private static boolean reached(double threshold, long part, long calls) {
            return threshold > 0 && (double) part / calls >= threshold;
        }
    }

    /** For policies that look at consecutive failures alone. */
    enum NoWindow implements CallWindow {
        INSTANCE;

        @Override
        public @Nullable WindowCounts record(boolean failed, boolean slow) {
            return null;
        }

        @Override
        public long recorded() {
            return 0;
        }

        @Override
        public WindowCounts counts() {
            return WindowCounts.NONE;
        }

        @Override
        public boolean isFailureRateReached(WindowCounts counts) {
            return false;
        }

        @Override
        public double failureRate() {
            return Double.NaN;
        }
    }
}
