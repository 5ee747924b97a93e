package dev.resilience.simulation;

import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Users call a service A, which calls B, which calls C, which calls a backend that is down for a while. Calls come at
 * random moments, a thousand a second (a Poisson process with a fixed seed).
 */
final class Storm {

    /** Longer than any call can take: 26 s of naive retries, or two hints of a breaker. */
    private static final Duration LAST_ANSWERS = Duration.ofMinutes(3);

    private static final Map<Scenario, StormResult> ONE_MINUTE = new HashMap<>();

    private final ManualTimeSource time = new ManualTimeSource();
    private final SplittableRandom random;
    private final Timetable timetable;
    private final StormRecord log;
    private final Endpoint first;

    private Storm(Scenario scenario, Timetable timetable, long seed) {
        this.random = new SplittableRandom(seed);
        this.timetable = timetable;
        this.log = new StormRecord(time, timetable);
        Endpoint backend = new Backend(timetable, time, log);
        Endpoint c = new Service("c", scenario, backend, time, random::nextDouble);
        Endpoint b = new Service("b", scenario, c, time, random::nextDouble);
        this.first = new Service("a", scenario, b, time, random::nextDouble);
    }

    /** An outage of one minute; simulated once, however many tests ask. */
    static synchronized StormResult ofOneMinute(Scenario scenario) {
        return ONE_MINUTE.computeIfAbsent(scenario, wanted -> run(wanted, Timetable.ONE_MINUTE, 20_260_101));
    }

    static StormResult run(Scenario scenario, Timetable timetable, long seed) {
        return SilencedLogs.run(() -> {
            Storm storm = new Storm(scenario, timetable, seed);
            storm.nextCallIn(storm.gap());
            storm.time.advance(Duration.ofNanos(timetable.end()).plus(LAST_ANSWERS));
            return storm.log.result(scenario, timetable);
        });
    }

    /** How often a single call reaches the backend when all fail. */
    static int callsOfOne(Scenario scenario) {
        return callsOf(1, scenario);
    }

    /** How often some calls, made at random moments at the rate of the storm, reach the backend when all fail. */
    static int callsOf(int calls, Scenario scenario) {
        Timetable down = new Timetable(Duration.ZERO, Duration.ofMinutes(1), Duration.ZERO);
        return SilencedLogs.run(() -> {
            Storm storm = new Storm(scenario, down, 1);
            for (int call = 0; call < calls; call++) {
                storm.call();
                storm.time.advance(storm.gap());
            }
            storm.time.advance(down.outage());
            return storm.log.result(scenario, down).backendCalls().between(0, down.outageEnd());
        });
    }

    private void call() {
        UserCall call = new UserCall(log, time.nanoTime());
        first.answer(Request.ofUser(call), call::ended);
    }

    private void nextCallIn(Duration gap) {
        time.schedule(gap, () -> {
            if (time.nanoTime() < timetable.end()) {
                call();
                nextCallIn(gap());
            }
        });
    }

    /** Exponentially distributed; by {@link StrictMath}, so that every JDK computes the same. */
    private Duration gap() {
        double seconds = -StrictMath.log(1 - random.nextDouble()) / Timetable.CALLS_PER_SECOND;
        return Duration.ofNanos(1 + (long) (seconds * 1e9));
    }
}
