package dev.resilience.simulation;

import dev.resilience.time.TimeSource;

/** What is noted down while a storm goes on. */
final class StormRecord {

    private final TimeSource time;
    private final Tally backendCalls;
    private final Tally callsMade;
    private final Tally callsServed;
    private long lastRetry;
    private long lastTroubledCall;
    private long slowestAnswer;
    private int callsOpen;

    StormRecord(TimeSource time, Timetable timetable) {
        this.time = time;
        this.backendCalls = new Tally(timetable.end());
        this.callsMade = new Tally(timetable.end());
        this.callsServed = new Tally(timetable.end());
    }

    void callMade(long now) {
        callsMade.add(now);
        callsOpen++;
    }

    void callEnded(long start, boolean ok, boolean retried) {
        callsOpen--;
        slowestAnswer = Math.max(slowestAnswer, time.nanoTime() - start);
        if (ok) {
            callsServed.add(start);
        }
        if (!ok || retried) {
            lastTroubledCall = Math.max(lastTroubledCall, start);
        }
    }

    void retry() {
        lastRetry = time.nanoTime();
    }

    void reachedBackend(long now) {
        backendCalls.add(now);
    }

    StormResult result(Scenario scenario, Timetable timetable) {
        if (callsOpen > 0) {
            throw new IllegalStateException(scenario + ": " + callsOpen + " calls have not ended");
        }
        return new StormResult(
                scenario,
                timetable,
                backendCalls,
                callsMade,
                callsServed,
                secondsAfter(timetable, lastTroubledCall),
                secondsAfter(timetable, lastRetry),
                slowestAnswer / 1e9);
    }

    private static double secondsAfter(Timetable timetable, long instant) {
        return Math.max(0, instant - timetable.outageEnd()) / 1e9;
    }
}
