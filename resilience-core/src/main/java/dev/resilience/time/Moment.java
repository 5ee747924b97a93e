package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;

/**
 * A point in time by both clocks.
 *
 * @param wallTime for people to read
 * @param nanoTime to measure from
 */
public record Moment(Instant wallTime, long nanoTime) {

    public static Moment now(TimeSource time) {
        return new Moment(time.now(), time.nanoTime());
    }

    public Duration until(Moment later) {
        return Duration.ofNanos(later.nanoTime - nanoTime);
    }

    /** The wall time, for people to read. */
    public String text() {
        return Timestamps.text(wallTime);
    }
}
