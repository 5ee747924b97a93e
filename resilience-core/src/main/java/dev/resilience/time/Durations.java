package dev.resilience.time;

import java.math.BigDecimal;
import java.time.Duration;

/** Arithmetic on durations that saturates where {@link Duration} would throw. Not for applications. */
public final class Durations {

    private static final Duration MAX = Duration.ofNanos(Long.MAX_VALUE);

    private Durations() {}

    /** The duration in nanoseconds; {@link Long#MAX_VALUE} (292 years) stands for everything longer. */
    public static long toNanos(Duration duration) {
        if (duration.compareTo(MAX) >= 0) {
            return Long.MAX_VALUE;
        }
        return duration.isNegative() ? 0 : duration.toNanos();
    }

    /** Whole seconds, rounded up and at least 1, as {@code Retry-After} has them: a moment too early is too early. */
    public static long toSecondsUp(Duration duration) {
        return Math.max(1, duration.plusNanos(999_999_999).toSeconds());
    }

    /** The longer of two durations. */
    public static Duration max(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /** The shorter of two durations. */
    public static Duration min(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    /** For people to read: {@code 250 ms}, {@code 0.5 s}, {@code 4.25 s}, {@code 5 min}, {@code 2 h 30 min}; cut off at milliseconds. */
    public static String inWords(Duration duration) {
        long nanos = toNanos(duration);
        long millis = nanos / 1_000_000;
        if (millis < 1) {
            return nanos + " ns";
        }
        if (millis < 1_000 && millis % 100 != 0) {
            return millis + " ms";
        }
        long minutes = millis / 60_000;
        if (minutes < 2) {
            return BigDecimal.valueOf(millis, 3).stripTrailingZeros().toPlainString() + " s";
        }
        return minutes < 120
                ? twoUnits(minutes, " min", millis / 1_000 % 60, " s")
                : twoUnits(minutes / 60, " h", minutes % 60, " min");
    }

    private static String twoUnits(long whole, String unit, long rest, String restUnit) {
        return whole + unit + (rest == 0 ? "" : " " + rest + restUnit);
    }
}
