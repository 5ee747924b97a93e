package dev.resilience.spring.idempotency.jdbc;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** Durations in whole microseconds, which is what the table has. */
public final class Micros {

    private static final long MOST = Long.MAX_VALUE / 4; // so that a sum of two never overflows

    private Micros() {}

    public static long of(Duration duration) {
        return duration.compareTo(toDuration(MOST)) > 0 ? MOST : duration.toNanos() / 1_000;
    }

    public static Duration toDuration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
