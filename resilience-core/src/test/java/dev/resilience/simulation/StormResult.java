package dev.resilience.simulation;

import java.time.Duration;

/**
 * What a storm came to.
 *
 * @param backendCalls calls that reached the backend
 * @param callsMade users' calls
 * @param callsServed users' calls that ended well, by the moment in which they were made
 * @param recovery seconds from the outage's end to the last call that failed or that any service had to retry
 * @param lastRetry seconds from the outage's end to the last retry of any service
 * @param slowestAnswer the longest that any user waited for an answer, in seconds
 */
record StormResult(
        Scenario scenario,
        Timetable timetable,
        Tally backendCalls,
        Tally callsMade,
        Tally callsServed,
        double recovery,
        double lastRetry,
        double slowestAnswer) {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** Calls that reached the dead backend for each call made, over the whole outage. */
    double callsPerCall() {
        return callsPerCall(timetable.outageStart());
    }

    /** The same over the outage's last ten seconds, when the storm is at its full strength. */
    double callsPerCallAtTheEnd() {
        return callsPerCall(timetable.outageEnd() - 10 * SECOND);
    }

    private double callsPerCall(long from) {
        long to = timetable.outageEnd();
        return (double) backendCalls.between(from, to) / callsMade.between(from, to);
    }

    /** The most calls that reached the backend within one second, during the outage and after it. */
    int peakPerSecond() {
        return backendCalls.peakPerSecondAfter(timetable.outageStart());
    }

    /** Calls that reached the backend in a second, counted from the outage's start. */
    int backendCallsInSecond(int second) {
        long from = timetable.outageStart() + second * SECOND;
        return backendCalls.between(from, from + SECOND);
    }

    /** The share of users' calls made in a second, counted from the outage's start, that ended well. */
    double successInSecond(int second) {
        long from = timetable.outageStart() + second * SECOND;
        return (double) callsServed.between(from, from + SECOND) / callsMade.between(from, from + SECOND);
    }
}
