package dev.resilience.retry;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import dev.resilience.time.ShortLock;
import dev.resilience.time.TimeSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Keeps retries from becoming a storm: in any sliding window at most {@code min-retries-per-second × window + max-ratio × first
 * attempts} of them are decided, whatever fails. A retry counts when it is decided, before its wait, so no call waits in vain;
 * it counts even if its call is cancelled meanwhile.
 *
 * <p>A first attempt counts when it has ended. One that succeeds costs the budget nothing: each retry that uses it counts its
 * successes anyway, and the budget reads them. Sums, time and the lock are touched only when a call wants to retry. Safe for use
 * by many threads.
 */
public final class RetryBudget implements LiveObject<RetryBudgetPolicy> {

    private final String name;
    private volatile RetryBudgetPolicy policy;
    private final TimeSource time;
    private final long start;
    private final long slotNanos;
    private final LongAdder firstAttempts = new LongAdder();
    private final List<LongSupplier> successes = new CopyOnWriteArrayList<>();
    private final ShortLock lock = new ShortLock();
    private final RetryBudgetWindow window;

    /** For adapters; applications ask {@link dev.resilience.Resilience#retryBudget}. */
    public RetryBudget(String name, RetryBudgetPolicy policy, TimeSource time) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.start = time.nanoTime();
        // rounded up: the slots together must not be shorter than the window
        this.slotNanos = (Durations.toNanos(policy.window()) - 1) / RetryBudgetWindow.SLOTS_PER_WINDOW + 1;
        this.window = new RetryBudgetWindow(policy);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RetryBudgetPolicy policy() {
        return policy;
    }

    /**
     * Changes how many retries are allowed from now on. What was counted stays.
     *
     * @throws InvalidPolicyException if the policy has another window, which cannot be changed
     */
    @Override
    public void reconfigure(RetryBudgetPolicy changed) {
        Require.unchanged("window", policy.window(), changed.window());
        lock.get(() -> {
            advance();
            window.allow(changed);
            policy = changed;
            return changed;
        });
    }

    /** How many retries it would allow right now, one after the other. */
    public long available() {
        return lock.get(() -> {
            advance();
            return window.available();
        });
    }

    /** Takes one retry out of the budget if there is one. For what else makes more calls than its callers do. */
    public boolean tryAcquire() {
        return lock.get(() -> {
            advance();
            boolean granted = window.available() > 0;
            if (granted) {
                window.add();
            }
            return granted;
        });
    }

    private void advance() {
        long calls = firstAttempts.sum()
                + successes.stream().mapToLong(LongSupplier::getAsLong).sum();
        window.advance((time.nanoTime() - start) / slotNanos, calls);
    }

    /** A first attempt has ended, which counts in favour of retries however it did. */
    void firstAttemptEnded() {
        firstAttempts.increment();
    }

    /**
     * For what takes retries out of the budget: its calls pay for them.
     *
     * @param source how many first attempts of one retry have succeeded until now
     */
    public void addSuccesses(LongSupplier source) {
        successes.add(source);
    }

    /** The retry has ended: what it has counted until now stays. */
    public void removeSuccesses(LongSupplier source) {
        if (successes.remove(source)) {
            firstAttempts.add(source.getAsLong());
        }
    }

    /**
     * The retries and calls of the last window, in slots. Used under the lock of its budget.
     *
     * <p>The budget's promise is for <em>every</em> window that contains a retry, so also for those that begin later than the calls
     * that would have paid for it. It holds if, for every moment <i>a</i> less than a window ago, the retries since <i>a</i>, less
     * max-ratio × the calls since <i>a</i>, are at most the allowance, {@code min-retries-per-second × window}. For each slot two
     * numbers answer this: {@code net}, retries less paid ones in the slot, and {@code peak}, the largest such sum from any moment
     * inside the slot to its end. The peak follows Lindley's recursion for the backlog of a queue (D. V. Lindley, "The theory of
     * queues with a single server", 1952): calls serve it, a retry adds one, it never falls below zero.
     *
     * <p>First attempts are noticed only when the budget is asked. They are credited to the slot in which it was asked before, the
     * earliest in which they can have ended: the error is on the side of fewer retries.
     */
    static final class RetryBudgetWindow {

        /** How finely the window slides. One slot more is kept, because the window's edge lies inside a slot. */
        static final int SLOTS_PER_WINDOW = 20;

        private static final int KEPT = SLOTS_PER_WINDOW + 1;

        /** Rounding errors of sums of ratios must not cost a retry. */
        private static final double TOLERANCE = 1e-6;

        private final double[] peak = new double[KEPT];
        private final double[] net = new double[KEPT];
        private double allowance;
        private double ratio;
        private long slot;
        private long calls;

        RetryBudgetWindow(RetryBudgetPolicy policy) {
            allow(policy);
        }

        /** Changes how many retries are allowed from now on. */
        void allow(RetryBudgetPolicy policy) {
            allowance = policy.minRetriesPerSecond() * (Durations.toNanos(policy.window()) / 1e9);
            ratio = policy.maxRatio();
        }

        /** It is now a later (or the same) slot, and so many calls have been made since ever. */
        void advance(long newSlot, long newCalls) {
            double paid = ratio * Math.max(0, newCalls - calls);
            calls = Math.max(calls, newCalls);
            peak[index(slot)] = Math.max(0, peak[index(slot)] - paid);
            net[index(slot)] -= paid;
            for (long passed = Math.max(slot + 1, newSlot - SLOTS_PER_WINDOW); passed <= newSlot; passed++) {
                peak[index(passed)] = 0;
                net[index(passed)] = 0;
            }
            slot = Math.max(slot, newSlot);
        }

        /** One more retry in the present slot. */
        void add() {
            peak[index(slot)]++;
            net[index(slot)]++;
        }

        /** How many retries the bound allows now. */
        long available() {
            double backlog = 0; // the largest since any moment in the slots that are looked at
            double later = 0;
            for (int age = 0; age < KEPT; age++) {
                int index = index(slot - age);
                backlog = Math.max(backlog, peak[index] + later);
                later += net[index];
            }
            return (long) Math.max(0, allowance - backlog + TOLERANCE);
        }

        private static int index(long slot) {
            return (int) Math.floorMod(slot, (long) KEPT);
        }
    }
}
