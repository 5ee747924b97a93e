package dev.resilience.circuitbreaker;

import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls come back little by little after a breaker has closed: a tenth of them at first, all of them when the ramp's
 * time is over, and the share grows evenly between. The first call passes.
 *
 * <p>Each call adds the share of its moment to a sum, and is let in if the sum passes a whole number. So the calls that are
 * let in are spread evenly, without chance and without a lock.
 */
final class Ramp {

    private static final long WHOLE = 1_000_000_000;
    private static final long FIRST_SHARE = WHOLE / 10;

    private final TimeSource time;
    private final long start;
    private final long nanos;
    private final AtomicLong sum = new AtomicLong(WHOLE - FIRST_SHARE);

    private Ramp(TimeSource time, long start, long nanos) {
        this.time = time;
        this.start = start;
        this.nanos = nanos;
    }

    /** The ramp of a breaker that closed at a moment, or {@code null} if that lasts no longer. */
    static @Nullable Ramp since(Moment closed, Duration duration, TimeSource time) {
        Ramp ramp = new Ramp(time, closed.nanoTime(), Durations.toNanos(duration));
        return ramp.isOver() ? null : ramp;
    }

    boolean isOver() {
        return elapsed() >= nanos;
    }

    /** Whether one more call is let in. */
    boolean admits() {
        long share = (long) (WHOLE * share());
        long before = sum.getAndAdd(share);
        return (before + share) / WHOLE > before / WHOLE;
    }

    /** The share of calls that is let in now, 0.1 to 1. */
    double share() {
        double passed = Math.min(1, (double) elapsed() / nanos);
        return Math.min(1, 0.1 + 0.9 * passed);
    }

    /** How long until all calls are let in. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - elapsed()));
    }

    Duration duration() {
        return Duration.ofNanos(nanos);
    }

    /** By the coarse clock, which may still be before the moment of the start. */
    private long elapsed() {
        return Math.max(0, time.coarseNanoTime() - start);
    }
}
