package dev.resilience.retry.window;

import dev.resilience.time.Durations;
import java.time.Duration;

/**
 * The retries and calls of the last window, in slots, and the retries that are planned for the next one. Once it is
 * published it does not change: {@code RetryBudget} swaps one for the next, so all of it moves in one atomic step.
 *
 * <p><b>The bound.</b> The budget's promise is for <em>every</em> window that contains a retry, so also for those that
 * begin later than the calls that would have paid for it. It holds if, for every moment <i>a</i> less than a window ago,
 * the retries since <i>a</i>, less max-ratio × the calls since <i>a</i>, are at most the allowance, {@code
 * min-retries-per-second × window}. For each slot two numbers answer this: {@code net}, retries less paid ones in the
 * slot, and {@code peak}, the largest such sum from any moment inside the slot to its end. The peak follows Lindley's
 * recursion for the backlog of a queue (D. V. Lindley, "The theory of queues with a single server", 1952): calls serve
 * it, a retry adds one, it never falls below zero. First attempts are noticed only when a call wants to retry. They are
 * credited to the slot in which the history was last changed, the earliest in which they can have ended: the error is
 * on the side of fewer retries.
 *
 * <p><b>Plans.</b> Let b(d) be the largest backlog of the moments that are still inside the window <i>d</i> slots from
 * now, and p(d) the number of reserved retries that are due by then. A reservation is granted only if b(d) + p(d) ≤
 * allowance still holds for every <i>d</i> from its own slot to the end of the next window. Nothing that happens
 * later breaks this: a reserved retry that is made, on time or late, moves one from p to b; a call lowers b; a slot that
 * passes turns d + 1 into d; a reservation that is given back lowers p. So there is room for each reserved retry when
 * its wait is over.
 *
 * <p><b>Expected calls.</b> That rule alone would never let more retries wait than the allowance, however many calls
 * come to pay for them meanwhile. So {@linkplain RecentCalls steady traffic} is expected to go on, and d slots of it are
 * taken off; only what is due in one slot must be within the allowance without them, because it may come all at once.
 * When the wait is over, what counts is the bound and nothing that was expected: a reserved retry is refused after its
 * wait only if fewer calls came than were expected.
 */
public final class RetryBudgetWindow {

    /** How finely the window slides. One slot more is kept, for the window's edge lies inside a slot. */
    public static final int SLOTS_PER_WINDOW = 20;

    private static final int KEPT = SLOTS_PER_WINDOW + 1;

    /** Rounding errors of sums of ratios must not cost a retry. */
    private static final double TOLERANCE = 1e-6;

    private final double allowance;
    private final double ratio;
    private final long slot;
    private final long calls;
    private final double[] peak;
    private final double[] net;
    private final RecentCalls recentCalls;
    private final PlannedRetries planned;

    private RetryBudgetWindow(
            double allowance,
            double ratio,
            long slot,
            long calls,
            double[] peak,
            double[] net,
            RecentCalls recentCalls,
            PlannedRetries planned) {
        this.allowance = allowance;
        this.ratio = ratio;
        this.slot = slot;
        this.calls = calls;
        this.peak = peak;
        this.net = net;
        this.recentCalls = recentCalls;
        this.planned = planned;
    }

    /**
     * One that knows of no call.
     *
     * @param retriesPerSecond those that are allowed whatever the number of calls
     * @param ratio of retries to calls that is allowed beyond
     */
    public static RetryBudgetWindow empty(Duration window, double retriesPerSecond, double ratio) {
        return new RetryBudgetWindow(
                allowance(window, retriesPerSecond),
                ratio,
                0,
                0,
                new double[KEPT],
                new double[KEPT],
                RecentCalls.NONE,
                PlannedRetries.NONE);
    }

    /** The same history with other limits, which are those of {@link #empty}. */
    public RetryBudgetWindow allowing(Duration window, double retriesPerSecond, double newRatio) {
        double newAllowance = allowance(window, retriesPerSecond);
        return new RetryBudgetWindow(newAllowance, newRatio, slot, calls, peak, net, recentCalls, planned);
    }

    private static double allowance(Duration window, double retriesPerSecond) {
        return retriesPerSecond * (Durations.toNanos(window) / 1e9);
    }

    /** The slot as of which this is. */
    public long slot() {
        return slot;
    }

    /** The history as it is seen in a later (or the same) slot, when so many calls have been made since ever. */
    public RetryBudgetWindow at(long newSlot, long newCalls) {
        double[] newPeak = peak.clone();
        double[] newNet = net.clone();
        long newlyMade = Math.max(0, newCalls - calls);
        double paid = ratio * newlyMade;
        int current = index(slot);
        newPeak[current] = Math.max(0, newPeak[current] - paid);
        newNet[current] -= paid;
        for (long s = Math.max(slot + 1, newSlot - SLOTS_PER_WINDOW); s <= newSlot; s++) {
            newPeak[index(s)] = 0;
            newNet[index(s)] = 0;
        }
        long now = Math.max(slot, newSlot);
        return new RetryBudgetWindow(
                allowance,
                ratio,
                now,
                Math.max(calls, newCalls),
                newPeak,
                newNet,
                recentCalls.with(newlyMade, slot, now),
                planned.at(slot, now));
    }

    /** With one more retry in the present slot. */
    public RetryBudgetWindow withRetry() {
        double[] newPeak = peak.clone();
        double[] newNet = net.clone();
        newPeak[index(slot)] += 1;
        newNet[index(slot)] += 1;
        return new RetryBudgetWindow(allowance, ratio, slot, calls, newPeak, newNet, recentCalls, planned);
    }

    /** With one more retry that is reserved. */
    public RetryBudgetWindow plan(long due) {
        return withPlans(planned.plus(due, 1));
    }

    /** Without a retry that was reserved. */
    public RetryBudgetWindow withoutPlan(long due) {
        return withPlans(planned.plus(due, -1));
    }

    /** Whether a retry is still reserved: one that is a window late is not. */
    public boolean keepsPlan(long due) {
        return due >= slot - SLOTS_PER_WINDOW;
    }

    private RetryBudgetWindow withPlans(PlannedRetries plans) {
        return new RetryBudgetWindow(allowance, ratio, slot, calls, peak, net, recentCalls, plans);
    }

    /** Whether the bound allows a retry now, reserved ones left aside. */
    public boolean allowsRetry() {
        return allowance - backlogs()[SLOTS_PER_WINDOW] + TOLERANCE >= 1;
    }

    /** How many retries could be made now without taking the place of a reserved one. */
    public long available() {
        return (long) Math.floor(Math.max(0, room(0, 0)) + TOLERANCE);
    }

    /** How many retries may be made in one window, if steady traffic goes on. */
    public long expectedPerWindow() {
        double paid = ratio * recentCalls.steadyPerSlot(slot) * SLOTS_PER_WINDOW;
        return (long) Math.floor(allowance + paid + TOLERANCE);
    }

    /**
     * Whether there is room for a retry that is due in a slot from this one to a window ahead.
     *
     * @param restOfSlot how much of the present slot is still to come, 0 to 1
     */
    public boolean hasRoom(long due, double restOfSlot) {
        return room((int) (due - slot), restOfSlot) + TOLERANCE >= 1;
    }

    private double room(int due, double restOfSlot) {
        double[] backlogs = backlogs();
        double paidPerSlot = ratio * recentCalls.steadyPerSlot(slot);
        double sinceNow = 0; // planned retries less the expected calls' share, since now
        double worst = 0; // the same since the worst moment from now until the retry is due
        double room = Double.POSITIVE_INFINITY;
        for (int ahead = 0; ahead <= SLOTS_PER_WINDOW; ahead++) {
            double added = planned.due(slot, ahead);
            double paid = paidPerSlot * (ahead == 0 ? restOfSlot : 1);
            sinceNow += added - paid;
            worst = (ahead <= due ? Math.max(0, worst - paid) : worst - paid) + added;
            if (ahead >= due) {
                double backlog = Math.max(backlogs[SLOTS_PER_WINDOW - ahead] + sinceNow, worst);
                room = Math.min(room, allowance - backlog);
            }
        }
        return room;
    }

    /** The largest backlog since any moment in the present slot, in that and the one before, and so on. */
    private double[] backlogs() {
        double[] backlogs = new double[KEPT];
        double backlog = 0;
        double later = 0;
        for (int age = 0; age < KEPT; age++) {
            int index = index(slot - age);
            backlog = Math.max(backlog, peak[index] + later);
            later += net[index];
            backlogs[age] = backlog;
        }
        return backlogs;
    }

    private static int index(long slot) {
        return (int) Math.floorMod(slot, (long) KEPT);
    }
}
