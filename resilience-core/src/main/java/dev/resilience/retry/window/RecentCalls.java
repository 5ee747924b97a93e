package dev.resilience.retry.window;

/**
 * How many first attempts there were in each slot of the last window, and how many of them are steady traffic.
 * Immutable.
 *
 * <p>Calls that ended while nothing was asked of the budget are spread evenly over that time. Steady is what came in
 * the quarter of the window that had the fewest: a burst is not taken for traffic that goes on, and nothing is expected
 * before there was a window of it.
 */
final class RecentCalls {

    private static final int SLOTS = RetryBudgetWindow.SLOTS_PER_WINDOW + 1;
    private static final int QUARTER = RetryBudgetWindow.SLOTS_PER_WINDOW / 4;

    static final RecentCalls NONE = new RecentCalls(new double[SLOTS]);

    private final double[] bySlot;

    private RecentCalls(double[] bySlot) {
        this.bySlot = bySlot;
    }

    /** With calls that ended since the history was last changed, in an earlier (or the same) slot. */
    RecentCalls with(long calls, long slot, long newSlot) {
        if (calls == 0 && slot == newSlot) {
            return this;
        }
        double[] changed = bySlot.clone();
        for (long s = Math.max(slot + 1, newSlot - SLOTS + 1); s <= newSlot; s++) {
            changed[index(s)] = 0;
        }
        long spread = Math.max(1, newSlot - slot);
        for (long s = Math.max(slot, newSlot - SLOTS + 1); s < Math.max(newSlot, slot + 1); s++) {
            changed[index(s)] += (double) calls / spread;
        }
        return new RecentCalls(changed);
    }

    /** How many calls may be expected in each of the next slots. */
    double steadyPerSlot(long slot) {
        double fewest = Double.POSITIVE_INFINITY;
        for (long quarter = 0; quarter < 4; quarter++) {
            double sum = 0;
            for (int i = 1; i <= QUARTER; i++) {
                sum += bySlot[index(slot - quarter * QUARTER - i)];
            }
            fewest = Math.min(fewest, sum);
        }
        return fewest / QUARTER;
    }

    private static int index(long slot) {
        return (int) Math.floorMod(slot, (long) SLOTS);
    }
}
