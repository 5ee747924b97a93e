package dev.resilience.simulation;

import java.time.Duration;

/** When users call, and when the backend is down. */
record Timetable(Duration before, Duration outage, Duration after) {

    static final int CALLS_PER_SECOND = 1_000;

    /** An outage of a minute, after quiet for longer than a budget looks back, and a minute more. */
    static final Timetable ONE_MINUTE =
            new Timetable(Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofMinutes(1));

    static final Timetable WITHOUT_OUTAGE = new Timetable(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(5));

    boolean isDown(long nanos) {
        return nanos >= outageStart() && nanos < outageEnd();
    }

    long outageStart() {
        return before.toNanos();
    }

    long outageEnd() {
        return before.plus(outage).toNanos();
    }

    long end() {
        return before.plus(outage).plus(after).toNanos();
    }
}
