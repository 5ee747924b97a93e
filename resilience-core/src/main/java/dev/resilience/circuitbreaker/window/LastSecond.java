package dev.resilience.circuitbreaker.window;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * How many of the calls failed that ended in the last second, in twenty slots: on an exact clock, a call counts for more
 * than 950 ms and for less than a second. Tells a callee that is down from one of which a few calls in a row failed by
 * chance, because it is called very often.
 *
 * <p>The window counts its calls anyway. The first call of each slot notes how many there had been before it, so any other
 * call that succeeds costs nothing here. Calls that end while that is noted may count for the slot before. Lock-free.
 */
public final class LastSecond {

    private static final int SLOTS = 20;
    private static final long SLOT_NANOS = 50_000_000;

    private final CallWindow window;
    private final long start;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReferenceArray<@Nullable Mark> marks = new AtomicReferenceArray<>(SLOTS);
    private volatile Mark last = new Mark(0, 0, 0);
    private volatile long slotEnds;

    /** What had been recorded when a slot began. */
    private record Mark(long slot, long calls, long failures) {}

    /**
     * @param window records each call once, after {@link #moveTo}
     * @param start the time as of now
     */
    public LastSecond(CallWindow window, long start) {
        this.window = window;
        this.start = start;
        this.slotEnds = start + SLOT_NANOS;
        marks.set(0, last);
    }

    /** As {@link CallWindow#moveTo}, which it comes before. */
    public long moveTo(long now) {
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

    /** The call failed, and has been recorded. */
    public void callFailed() {
        failures.incrementAndGet();
    }

    /**
     * Whether the share of failures has reached a threshold, by the same division as in the window. Failures are read
     * first, so a success that ends meanwhile lowers the share. Calls that end while a slot begins may be missed. Where no
     * other call is left in the second, nothing speaks against the failure that asks.
     */
    public boolean hasFailed(double threshold) {
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
