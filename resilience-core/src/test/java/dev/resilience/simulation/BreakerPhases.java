package dev.resilience.simulation;

import dev.resilience.concurrency.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The same storm with outages of 45 s, 48 s … 81 s; without {@code -Plong}, every third of them. How long a breaker takes
 * to notice that the backend is up depends on where in its open period the outage happens to end.
 */
final class BreakerPhases {

    static final Duration SHORTEST = Duration.ofSeconds(45);
    static final Duration LONGEST = Duration.ofSeconds(81);
    static final Duration STEP = Duration.ofSeconds(Effort.of(9, 3));

    private static final Map<Scenario, List<StormResult>> DONE = new HashMap<>();

    private BreakerPhases() {}

    static synchronized List<StormResult> of(Scenario scenario) {
        return DONE.computeIfAbsent(scenario, BreakerPhases::simulate);
    }

    static DoubleSummaryStatistics summary(Scenario scenario, ToDoubleFunction<StormResult> value) {
        return of(scenario).stream().mapToDouble(value).summaryStatistics();
    }

    private static List<StormResult> simulate(Scenario scenario) {
        List<StormResult> results = new ArrayList<>();
        for (Duration outage = SHORTEST; outage.compareTo(LONGEST) <= 0; outage = outage.plus(STEP)) {
            Timetable timetable = new Timetable(Duration.ofSeconds(5), outage, Duration.ofMinutes(1));
            results.add(Storm.run(scenario, timetable, outage.toSeconds()));
        }
        return results;
    }
}
