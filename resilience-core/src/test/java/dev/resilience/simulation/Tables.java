package dev.resilience.simulation;

import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;

/** The tables of the report, in Markdown. */
final class Tables {

    private Tables() {}

    static String contention() {
        StringBuilder table = new StringBuilder("""
                | clients | strategy | writes | Brooker's | apart (SE) | last client done, ms | Brooker's | apart (SE) |
                |---:|---|---:|---:|---:|---:|---:|---:|
                """);
        for (Published figure : Published.FIGURES) {
            ContentionSeries series = ContentionSeries.of(figure.strategy(), figure.clients());
            row(
                    table,
                    "| %d | %s | %,.0f ± %.1f | %,d | %s | %,.0f ± %.0f | %,d | %s |",
                    figure.clients(),
                    figure.strategy().title(),
                    series.writes().mean(),
                    series.writes().standardError(),
                    figure.writes(),
                    apart(series.writes(), figure.writes()),
                    series.millis().mean(),
                    series.millis().standardError(),
                    figure.millis(),
                    apart(series.millis(), figure.millis()));
        }
        return table.toString();
    }

    static String storm() {
        StringBuilder table = new StringBuilder("""
                | each service has | calls at the dead backend per call made | … in the last 10 s | peak, calls/s | recovered after | last retry after | slowest answer |
                |---|---:|---:|---:|---:|---:|---:|
                """);
        for (Scenario scenario : Scenario.ALL) {
            StormResult result = Storm.ofOneMinute(scenario);
            row(
                    table,
                    "| %s | %.2f | %.2f | %,d | %.1f s | %.1f s | %.0f s |",
                    scenario.title(),
                    result.callsPerCall(),
                    result.callsPerCallAtTheEnd(),
                    result.peakPerSecond(),
                    result.recovery(),
                    result.lastRetry(),
                    result.slowestAnswer());
        }
        return table.toString();
    }

    static String breakerPhases() {
        StringBuilder table = new StringBuilder("""
                | each service has | recovered after, at best | on average | at worst | calls at the dead backend per call made, at most | slowest answer |
                |---|---:|---:|---:|---:|---:|
                """);
        for (Scenario scenario : List.of(Scenario.BREAKERS, Scenario.DEFAULTS_AND_BREAKERS)) {
            DoubleSummaryStatistics recovery = BreakerPhases.summary(scenario, StormResult::recovery);
            row(
                    table,
                    "| %s | %.1f s | %.0f s | %.0f s | %.2f | %.0f s |",
                    scenario.title(),
                    recovery.getMin(),
                    recovery.getAverage(),
                    recovery.getMax(),
                    BreakerPhases.summary(scenario, StormResult::callsPerCall).getMax(),
                    BreakerPhases.summary(scenario, StormResult::slowestAnswer).getMax());
        }
        return table.toString();
    }

    private static String apart(Sample sample, int published) {
        return String.format(Locale.ROOT, "%.1f", Math.abs(sample.standardErrorsFrom(published)));
    }

    private static void row(StringBuilder table, String format, Object... values) {
        table.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
