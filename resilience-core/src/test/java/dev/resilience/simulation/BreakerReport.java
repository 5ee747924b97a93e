package dev.resilience.simulation;

import static dev.resilience.simulation.Axis.tick;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The report's tables and pictures of when breakers open, and of how they close. */
final class BreakerReport {

    private static final double[] CALLS_PER_SECOND = {0.1, 1, 10, 100, 1_000, 10_000};
    private static final double[] SHARES = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1};
    private static final double[] DYING = {0.5, 0.6, 0.8, 1};
    private static final List<Duration> RAMPS =
            List.of(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(60));

    private BreakerReport() {}

    static String shareServed() {
        return byRate(
                SHARES,
                rules -> (rate, share) ->
                        String.format(Locale.ROOT, "%.1f", 100 * Traffic.shareServed(rules.policy(), rate, share)));
    }

    static String timeToOpen() {
        return byRate(
                DYING,
                rules -> (rate, share) ->
                        String.format(Locale.ROOT, "%.2f", Traffic.secondsToOpen(rules.policy(), rate, share)));
    }

    private interface Cell {
        String text(double callsPerSecond, double share);
    }

    private static String byRate(double[] shares, Function<OpeningRules, Cell> cells) {
        StringBuilder table = new StringBuilder("| calls/s | the breaker opens after |");
        for (double share : shares) {
            table.append(String.format(Locale.ROOT, " %.0f%% fail |", 100 * share));
        }
        table.append("\n|---:|---|").append("---:|".repeat(shares.length)).append('\n');
        for (double rate : CALLS_PER_SECOND) {
            for (OpeningRules rules : OpeningRules.values()) {
                table.append(
                        String.format(Locale.ROOT, rate < 1 ? "| %.1f | %s |" : "| %,.0f | %s |", rate, rules.title()));
                for (double share : shares) {
                    table.append(' ')
                            .append(cells.apply(rules).text(rate, share))
                            .append(" |");
                }
                table.append('\n');
            }
        }
        return table.toString();
    }

    static String fleet() {
        StringBuilder table = new StringBuilder("""
                | `ramp` | all calls served again after | calls lost after the outage | peak at the callee in its first 10 s |
                |---|---:|---:|---:|
                """);
        for (Duration ramp : RAMPS) {
            Fleet fleet = Fleet.with(ramp);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %d s | %,d | %,d a second |%n",
                    name(ramp),
                    fleet.secondsToRecover(),
                    fleet.lostAfterOutage(),
                    fleet.peakWhenItCameBack()));
        }
        return table.toString();
    }

    static String servedPlot() {
        LineChart chart = new LineChart(
                "Calls that succeed where each fifth fails",
                "Where five failures in a row open a breaker at once, the share falls from 79% to nothing as calls"
                        + " get more; where half of the last second's calls must fail too, it is 80% from 100 calls a"
                        + " second on.",
                "share of the calls, without a breaker it is 80%",
                Axis.logarithmic(
                        0.1,
                        10_000,
                        tick(0.1, "0.1"),
                        tick(1, "1"),
                        tick(10, "10"),
                        tick(100, "100"),
                        tick(1_000, "1,000"),
                        tick(10_000, "10,000")),
                "calls per second (logarithmic)",
                Axis.linear(
                        0,
                        1,
                        tick(0, "0%"),
                        tick(0.2, "20%"),
                        tick(0.4, "40%"),
                        tick(0.6, "60%"),
                        tick(0.8, "80%"),
                        tick(1, "100%")));
        int colour = 0;
        for (OpeningRules rules : OpeningRules.values()) {
            List<double[]> points = new ArrayList<>();
            for (double rate : CALLS_PER_SECOND) {
                points.add(new double[] {rate, Traffic.shareServed(rules.policy(), rate, 0.2)});
            }
            chart.add(rules.shortTitle(), colour++, points);
        }
        return chart.finished();
    }

    static String fleetPlot() {
        StripChart chart = new StripChart(
                "Fifty nodes come back to a cold callee",
                "Without a ramp the nodes overload the callee, open again and need two and a half minutes; with one"
                        + " they are back as soon as its time is over.",
                "share of the calls served in a second",
                RAMPS.size(),
                Plots.seconds(-10, 240, 30),
                Axis.linear(0, 1, tick(0, "0%"), tick(0.5, "50%"), tick(1, "100%")));
        for (Duration ramp : RAMPS) {
            chart.add("ramp: " + name(ramp), "", Fleet.with(ramp)::served);
        }
        return chart.finished();
    }

    private static String name(Duration ramp) {
        return ramp.isZero() ? "0 (off)" : ramp.toSeconds() + "s";
    }
}
