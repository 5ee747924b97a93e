package dev.resilience.retry;

/**
 * A retry that a {@link RetryBudget} keeps for one call while it waits. Either used or given back, once, by one thread
 * at a time.
 *
 * @param due the slot of the history in which the wait is over, or the window of a long wait
 * @param longWait whether the wait is longer than the window. Then nothing is kept, because that would keep a retry from
 *     others for too long: the call only is one of those that may wait
 */
record RetryReservation(RetryBudget budget, long due, boolean longWait) {

    /** The wait is over. Whether the retry may be made now, and if so it is counted. */
    boolean use() {
        return longWait ? budget.useAfterLongWait(due) : budget.use(due);
    }

    void giveBack() {
        if (longWait) {
            budget.giveBackLongWait(due);
        } else {
            budget.giveBack(due);
        }
    }
}
