package dev.resilience.circuitbreaker;

import dev.resilience.concurrency.ForwardingTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Manual time at whose reading something else happens: what another thread would do at this very moment, in the middle
 * of what the breaker does, and the same on every run.
 */
final class TimeWithRaces extends ForwardingTime {

    private Duration lag = Duration.ZERO;
    private int readingsBefore;
    private @Nullable Runnable race;

    /** How old the coarse time is from now on. */
    void coarseTimeLags(Duration by) {
        lag = by;
    }

    /** What happens when the time is read next. */
    void atNextReading(Runnable action) {
        atReading(1, action);
    }

    /** What happens when the time is read for the n-th time from now on. */
    void atReading(int number, Runnable action) {
        readingsBefore = number - 1;
        race = action;
    }

    boolean isOver() {
        return race == null;
    }

    @Override
    public long nanoTime() {
        Runnable now = race;
        if (now != null && readingsBefore-- == 0) {
            race = null;
            now.run();
        }
        return manual.nanoTime();
    }

    @Override
    public long coarseNanoTime() {
        return manual.nanoTime() - lag.toNanos();
    }
}
