package dev.resilience.retry;

/**
 * A retry that a {@link RetryBudget} keeps for one call while it waits. Either used or given back, once, by one thread
 * at a time.
 *
 * @param due the slot of the history in which the wait is over, or {@link #NONE} where nothing is kept
 */
record RetryReservation(RetryBudget budget, long due) {

    /** For waits that are longer than the window, which would keep a retry from others for too long. */
    static final long NONE = Long.MIN_VALUE;

    /** The wait is over. Whether the retry may be made now, and if so it is counted. */
    boolean use() {
        return due == NONE ? budget.tryAcquire() : budget.use(due);
    }

    void giveBack() {
        if (due != NONE) {
            budget.giveBack(due);
        }
    }
}
