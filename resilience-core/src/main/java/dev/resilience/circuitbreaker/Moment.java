package dev.resilience.circuitbreaker;

import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.time.Instant;

/**
 * A point in time by both clocks.
 *
 * @param wallTime for people to read
 * @param nanoTime to measure from
 */
record Moment(Instant wallTime, long nanoTime) {

    static Moment now(TimeSource time) {
        return new Moment(time.now(), time.nanoTime());
    }

    Duration until(Moment later) {
        return Duration.ofNanos(later.nanoTime - nanoTime);
    }

    /** The wall time, for people to read. */
    String text() {
        return Timestamps.text(wallTime);
    }
}
