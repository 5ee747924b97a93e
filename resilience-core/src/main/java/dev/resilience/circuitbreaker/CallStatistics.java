package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What a circuit breaker knows of the calls that it let through: the window, how many failed in a row, and the type of the
 * last failure. Lock-free; recording allocates nothing.
 *
 * <p>A successful call costs one comparison for all that depends on the time: whether that has come for something to move.
 */
final class CallStatistics {

    final CallWindow window;

    /** The type of a recent failure, if one was recorded: without order between threads, any of several will do. */
    @Nullable
    String lastFailure;

    private final TimeSource time;
    private final int failureThreshold;
    private final double failureRateThreshold;
    private final @Nullable LastSecond lastSecond;
    private final boolean timed;

    /** When the window or the last second has to move next, or a time before that. */
    private volatile long nextMove;

    private final AtomicInteger consecutiveFailures = new AtomicInteger();

    /**
     * @param failureThreshold so many failures in a row are too many; 0 for no limit
     * @param failureRateThreshold the share of failures of the last second without which failures in a row are chance
     */
    CallStatistics(CallWindow window, int failureThreshold, double failureRateThreshold, TimeSource time) {
        this.window = window;
        this.time = time;
        this.failureThreshold = failureThreshold;
        this.failureRateThreshold = failureRateThreshold;
        this.nextMove = time.coarseNanoTime();
        this.lastSecond = failureThreshold > 0 && failureRateThreshold > 0 ? new LastSecond(window, nextMove) : null;
        this.timed = lastSecond != null || window.isTimed();
    }

    /** Records a success; what the window holds if one of its rates is too high, or {@code null}. */
    @Nullable
    WindowCounts succeeded(boolean slow) {
        if (consecutiveFailures.get() != 0) {
            consecutiveFailures.set(0);
        }
        return record(false, slow);
    }

    /**
     * Records a failure, but not as one of several in a row.
     *
     * @param type the type of the failure, always the same instance for the same type
     * @return what the window holds if one of its rates is too high, or {@code null}
     */
    @SuppressWarnings("ReferenceEquality") // spares the writing; a text that is equal and another one is written
    @Nullable
    WindowCounts failed(boolean slow, String type) {
        if (lastFailure != type) {
            lastFailure = type;
        }
        return record(true, slow);
    }

    /** Counts the failure that was recorded as one of several in a row; how many there are if these are too many, or 0. */
    int recordConsecutiveFailure() {
        int inARow = consecutiveFailures.incrementAndGet();
        if (failureThreshold == 0 || inARow < failureThreshold) {
            return 0;
        }
        boolean isChance = lastSecond != null && !lastSecond.hasFailed(failureRateThreshold); // where calls are many
        return isChance ? 0 : inARow;
    }

    private @Nullable WindowCounts record(boolean failed, boolean slow) {
        if (timed) {
            long now = time.coarseNanoTime();
            if (now - nextMove >= 0) {
                moveTo(now);
            }
        }
        WindowCounts tooMany = window.record(failed, slow);
        if (failed && lastSecond != null) {
            lastSecond.failures.incrementAndGet();
        }
        return tooMany;
    }

    private void moveTo(long now) {
        long next = lastSecond == null ? now + Long.MAX_VALUE : lastSecond.moveTo(now);
        nextMove = now + Math.min(next - now, window.moveTo(now) - now);
    }

    /**
     * How many of the calls failed that ended in the last second, in twenty slots: on an exact clock, a call counts for more
     * than 950 ms and for less than a second. Tells a callee that is down from one of which a few calls in a row failed by
     * chance, because it is called very often.
     *
     * <p>The window counts its calls anyway. The first call of each slot notes how many there had been before it, so any other
     * call that succeeds costs nothing here. Calls that end while that is noted may count for the slot before. Lock-free.
     */
    static final class LastSecond {

        private static final int SLOTS = 20;
        private static final long SLOT_NANOS = 50_000_000;

        private final CallWindow window;
        private final long start;
        private final AtomicLong failures = new AtomicLong(); // each of them is recorded by the window first
        private final AtomicReferenceArray<@Nullable Mark> marks = new AtomicReferenceArray<>(SLOTS);
        private volatile Mark last = new Mark(0, 0, 0);
        private volatile long slotEnds;

        /** What had been recorded when a slot began. */
        private record Mark(long slot, long calls, long failures) {}

        /**
         * @param window records each call once, after {@link #moveTo}
         * @param start the time as of now
         */
        LastSecond(CallWindow window, long start) {
            this.window = window;
            this.start = start;
            this.slotEnds = start + SLOT_NANOS;
            marks.set(0, last);
        }

        /** As {@link CallWindow#moveTo}, which it comes before. */
        long moveTo(long now) {
            if (now - slotEnds >= 0) {
                begin((now - start) / SLOT_NANOS);
            }
            return slotEnds;
        }

        private void begin(long slot) {
            int index = (int) (slot % SLOTS);
            Mark mark = marks.get(index);
            if (mark == null || mark.slot < slot) {
                Mark begun = new Mark(slot, window.recorded(), failures.get());
                if (!marks.compareAndSet(index, mark, begun)) {
                    return;
                }
                mark = begun;
            }
            last = mark;
            slotEnds = start + (mark.slot + 1) * SLOT_NANOS;
        }

        /**
         * Whether the share of failures has reached a threshold, by the same division as in the window. Failures are read
         * first, so a success that ends meanwhile lowers the share. Calls that end while a slot begins may be missed. Where no
         * other call is left in the second, nothing speaks against the failure that asks.
         */
        boolean hasFailed(double threshold) {
            Mark from = last;
            long newest = from.slot;
            for (int i = 0; i < SLOTS; i++) {
                Mark mark = marks.get(i);
                if (mark != null && mark.slot > newest - SLOTS && mark.slot < from.slot) {
                    from = mark;
                }
            }
            long failed = failures.get() - from.failures;
            long calls = window.recorded() - from.calls;
            return calls <= 0 || (double) failed / (double) calls >= threshold;
        }
    }
}
