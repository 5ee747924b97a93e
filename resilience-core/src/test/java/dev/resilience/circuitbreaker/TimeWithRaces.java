package dev.resilience.circuitbreaker;

import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Manual time at whose reading something else happens: what another thread would do at this very moment, in the middle
 * of what the breaker does, and the same on every run.
 */
final class TimeWithRaces implements TimeSource {

    final ManualTimeSource manual = new ManualTimeSource();
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

    @Override
    public Instant now() {
        return manual.now();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        manual.sleep(duration);
    }

    @Override
    public void park(Object blocker, Duration atMost) {
        manual.park(blocker, atMost);
    }

    @Override
    public Scheduled schedule(Duration delay, Runnable task) {
        return manual.schedule(delay, task);
    }
}
