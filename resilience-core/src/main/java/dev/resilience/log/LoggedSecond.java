package dev.resilience.log;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** How many lines were written since a moment, for each event, and which events have none of their own any more. */
final class LoggedSecond {

    /** Lines that an event may have in a second. */
    static final int MOST_LINES = 10;

    private final long start;
    private final boolean[] foldedFromStart;
    private final AtomicIntegerArray lines;
    private final AtomicBoolean timer = new AtomicBoolean();

    LoggedSecond(long start, boolean[] foldedFromStart) {
        this.start = start;
        this.foldedFromStart = foldedFromStart;
        this.lines = new AtomicIntegerArray(foldedFromStart.length);
    }

    long nanosAt(long now) {
        return now - start;
    }

    /** Whether there may be one more line of this event; if so, it is counted. */
    boolean takeLine(int event) {
        if (foldedFromStart[event] || lines.get(event) >= MOST_LINES) { // so that the number does not overflow
            return false;
        }
        return lines.getAndIncrement(event) < MOST_LINES;
    }

    int lines(int event) {
        return Math.min(MOST_LINES, lines.get(event));
    }

    boolean hasLines() {
        for (int event = 0; event < lines.length(); event++) {
            if (lines.get(event) > 0) {
                return true;
            }
        }
        return false;
    }

    boolean hasTimer() {
        return timer.get();
    }

    /** Whether the timer that ends this second is to be set now, by the thread that gets {@code true}. */
    boolean takeTimer() {
        return timer.compareAndSet(false, true);
    }

    void timerFailed() {
        timer.set(false);
    }
}
