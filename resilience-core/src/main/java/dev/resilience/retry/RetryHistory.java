package dev.resilience.retry;

import dev.resilience.time.Durations;

/**
 * The retries and calls of the last window, in slots. Immutable: {@link RetryBudget} swaps one for the next.
 *
 * <p>The budget's promise is for <em>every</em> window that contains a retry, so also for those that begin later than
 * the calls that would have paid for it. It holds if, for every moment <i>a</i> less than a window ago, the retries
 * since <i>a</i>, less max-ratio × the calls since <i>a</i>, are at most {@code min-retries-per-second × window}. For
 * each slot two numbers answer this: {@code net}, retries less paid ones in the slot, and {@code peak}, the largest
 * such sum from any moment inside the slot to its end. The peak follows Lindley's recursion for the backlog of a queue
 * (D. V. Lindley, "The theory of queues with a single server", 1952): calls serve it, a retry adds one, it never falls
 * below zero.
 *
 * <p>First attempts are noticed only when somebody wants to retry. They are credited to the slot in which the budget
 * was last looked at, the earliest in which they can have ended: the error is on the side of fewer retries.
 */
final class RetryHistory {

    /** How finely the window slides. One slot more is kept, for the window's edge lies inside a slot. */
    static final int SLOTS_PER_WINDOW = 20;

    private static final int KEPT = SLOTS_PER_WINDOW + 1;

    /** Rounding errors of sums of ratios must not cost a retry. */
    private static final double TOLERANCE = 1e-6;

    private final double allowance;
    private final double ratio;
    private final long slot;
    private final long calls;
    private final double[] peak;
    private final double[] net;

    private RetryHistory(double allowance, double ratio, long slot, long calls, double[] peak, double[] net) {
        this.allowance = allowance;
        this.ratio = ratio;
        this.slot = slot;
        this.calls = calls;
        this.peak = peak;
        this.net = net;
    }

    static RetryHistory empty(RetryBudgetPolicy policy) {
        double seconds = Durations.toNanos(policy.window()) / 1e9;
        return new RetryHistory(
                policy.minRetriesPerSecond() * seconds, policy.maxRatio(), 0, 0, new double[KEPT], new double[KEPT]);
    }

    /** The history as it is seen in a later (or the same) slot, when so many calls have been made since ever. */
    RetryHistory at(long newSlot, long newCalls) {
        double[] newPeak = peak.clone();
        double[] newNet = net.clone();
        double paid = ratio * Math.max(0, newCalls - calls);
        int current = index(slot);
        newPeak[current] = Math.max(0, newPeak[current] - paid);
        newNet[current] -= paid;
        for (long s = Math.max(slot + 1, newSlot - SLOTS_PER_WINDOW); s <= newSlot; s++) {
            newPeak[index(s)] = 0;
            newNet[index(s)] = 0;
        }
        return new RetryHistory(allowance, ratio, Math.max(slot, newSlot), Math.max(calls, newCalls), newPeak, newNet);
    }

    RetryHistory withRetry() {
        double[] newPeak = peak.clone();
        double[] newNet = net.clone();
        newPeak[index(slot)] += 1;
        newNet[index(slot)] += 1;
        return new RetryHistory(allowance, ratio, slot, calls, newPeak, newNet);
    }

    long available() {
        double backlog = 0;
        double later = 0;
        for (long s = slot; s > slot - KEPT; s--) {
            backlog = Math.max(backlog, peak[index(s)] + later);
            later += net[index(s)];
        }
        return (long) Math.floor(Math.max(0, allowance - backlog) + TOLERANCE);
    }

    private static int index(long slot) {
        return (int) Math.floorMod(slot, (long) KEPT);
    }
}
