package dev.resilience.circuitbreaker.window;

import dev.resilience.policy.InvalidPolicyException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The last n calls, as a ring of outcomes and their totals.
 *
 * <p>A call takes the next place of the ring, swaps its outcome in, and adds the difference between what it wrote and
 * what it found to the totals, all three counts at once in one long of 21 bits each. Each swap is atomic, so every
 * outcome is added once and taken away once, and the totals are exact whenever no thread is in the middle of this. While
 * some are, each of the counts may be off by one for each of them, either way: what a thread took away may still be
 * counted, what it wrote may not be counted yet, and may even have been taken away before it was added, which would leave
 * a count below zero. So counts are kept above a bias, and one that is below zero is read as zero.
 */
public final class CountWindow implements CallWindow {

    public static final int LARGEST = 1_000_000;

    private static final int BITS = 21;
    private static final long MASK = (1L << BITS) - 1;
    private static final long BIAS = 1L << (BITS - 1);
    private static final long ZERO = (BIAS << (2 * BITS)) | (BIAS << BITS) | BIAS;
    private static final int FAILED = 2;
    private static final int SLOW = 4;
    private static final int CALL = 1;

    private final Thresholds thresholds;
    private final AtomicIntegerArray outcomes;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong totals = new AtomicLong(ZERO);

    public CountWindow(int size, Thresholds thresholds) {
        this.thresholds = thresholds;
        this.outcomes = new AtomicIntegerArray(size);
    }

    /** Refuses a minimum of calls that a window of calls never has. */
    public static void requireRoomFor(int minimumCalls, int size) {
        if (minimumCalls > size) {
            String cure = "must not be above window.size, which is " + size + ": such a window never has so many calls";
            throw new InvalidPolicyException("minimum-calls", minimumCalls, cure, "window.size", size);
        }
    }

    @Override
    public @Nullable WindowCounts record(boolean failed, boolean slow) {
        int outcome = CALL | (failed ? FAILED : 0) | (slow ? SLOW : 0);
        int place = (int) (next.getAndIncrement() % outcomes.length());
        if (outcome == CALL && outcomes.get(place) == CALL) {
            return null; // a good call in place of a good one: as if they had been swapped, nothing changes
        }
        int replaced = outcomes.getAndSet(place, outcome);
        long sums = totals.addAndGet(asTotals(outcome) - asTotals(replaced));
        return thresholds.ifReached(calls(sums), failures(sums), slowCalls(sums));
    }

    @Override
    public long recorded() {
        return next.get();
    }

    @Override
    public WindowCounts counts() {
        long sums = totals.get();
        return new WindowCounts(calls(sums), failures(sums), slowCalls(sums));
    }

    @Override
    public boolean isFailureRateReached(WindowCounts counts) {
        return thresholds.isFailureRateReached(counts);
    }

    @Override
    public double failureRate() {
        return thresholds.failureRate(counts());
    }

    private static long asTotals(int outcome) {
        long calls = outcome & CALL;
        long failures = (outcome & FAILED) == 0 ? 0 : 1;
        long slowCalls = (outcome & SLOW) == 0 ? 0 : 1;
        return (calls << (2 * BITS)) | (failures << BITS) | slowCalls;
    }

    private static long calls(long totals) {
        return count(totals >>> (2 * BITS));
    }

    private static long failures(long totals) {
        return count(totals >>> BITS);
    }

    private static long slowCalls(long totals) {
        return count(totals);
    }

    private static long count(long field) {
        return Math.max(0, (field & MASK) - BIAS);
    }
}
