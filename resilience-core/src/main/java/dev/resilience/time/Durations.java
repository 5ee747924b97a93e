package dev.resilience.time;

import java.time.Duration;

/** Arithmetic on durations that saturates where {@link Duration} would throw. Not for applications. */
public final class Durations {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {}

    /** The duration in nanoseconds; {@link Long#MAX_VALUE} (292 years) stands for everything longer. */
    public static long toNanos(Duration duration) {
        if (duration.compareTo(LONGEST) >= 0) {
            return Long.MAX_VALUE;
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }

    /** The longer of two durations. */
    public static Duration max(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** The shorter of two durations. */
    public static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}
