package dev.resilience.time;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** How the library shows a point in time, in its log and in the actuator. Not for applications. */
public final class Timestamps {

    /** {@link Instant#toString()} leaves the fraction out on a whole second, so that its texts do not sort. */
    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

    private Timestamps() {}

    /** ISO-8601 in UTC, always with three digits after the second: {@code 2026-01-01T00:00:00.000Z}; cut off, not rounded. */
    public static String text(Instant instant) {
        return MILLIS.format(instant);
    }
}
