package dev.resilience.simulation;

import static dev.resilience.simulation.Axis.tick;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The pictures of the report. */
final class Plots {

    private static final int[] CLIENTS = {10, 25, 50, 75, 100};

    private static final Axis CLIENTS_AXIS = Axis.linear(
            0, 100, tick(0, "0"), tick(10, "10"), tick(25, "25"), tick(50, "50"), tick(75, "75"), tick(100, "100"));

    private Plots() {}

    static String contentionWrites() {
        Axis writes = Axis.linear(
                0,
                2_500,
                tick(0, "0"),
                tick(500, "500"),
                tick(1_000, "1,000"),
                tick(1_500, "1,500"),
                tick(2_000, "2,000"),
                tick(2_500, "2,500"));
        return contention(
                "Work: writes until every client has succeeded",
                "Without waiting, or without jitter, the work grows with the square of the number of clients; with"
                        + " jitter it hardly grows faster than the number itself.",
                "writes, mean of 100 runs",
                writes,
                series -> series.writes().mean());
    }

    static String contentionTime() {
        Axis seconds =
                Axis.logarithmic(0.1, 100, tick(0.1, "0.1 s"), tick(1, "1 s"), tick(10, "10 s"), tick(100, "100 s"));
        return contention(
                "Time: until the last client has succeeded",
                "Exponential waits without jitter take ten times as long as those with jitter.",
                "seconds of simulated time (logarithmic), mean of 100 runs",
                seconds,
                series -> series.millis().mean() / 1_000);
    }

    private static String contention(
            String title, String description, String yLabel, Axis y, Function<ContentionSeries, Double> value) {
        LineChart chart =
                new LineChart(title, description, yLabel, CLIENTS_AXIS, "clients that contend for one row", y);
        int colour = 0;
        for (Strategy strategy : Strategy.values()) {
            List<double[]> points = new ArrayList<>();
            for (int clients : CLIENTS) {
                points.add(new double[] {clients, value.apply(ContentionSeries.of(strategy, clients))});
            }
            chart.add(strategy.title(), colour++, points);
        }
        return chart.finished();
    }

    static String stormLoad() {
        Axis calls = Axis.logarithmic(
                100,
                100_000,
                tick(100, "≤ 100"),
                tick(1_000, "1,000"),
                tick(10_000, "10,000"),
                tick(100_000, "100,000"));
        StripChart chart = new StripChart(
                "Calls that reach the backend",
                "Naive retries multiply the thousand calls a second to 27 thousand, the defaults to 1.1 thousand;"
                        + " breakers reduce them to a few.",
                "calls per second (logarithmic), 1,000 are made; at the right: calls for each call made, in the outage's last 10 s",
                Scenario.ALL.size(),
                seconds(-10, 90, 10),
                calls);
        for (Scenario scenario : Scenario.ALL) {
            StormResult result = Storm.ofOneMinute(scenario);
            String remark = String.format(
                    Locale.ROOT,
                    "%.2f for each call made, peak %,d per second",
                    result.callsPerCallAtTheEnd(),
                    result.peakPerSecond());
            chart.add(scenario.title(), remark, result::backendCallsInSecond);
        }
        return chart.finished();
    }

    static String stormSuccess() {
        StripChart chart = new StripChart(
                "Users' calls that succeed",
                "Breakers answer with failures for a while after the backend has come back; the others do not.",
                "share of the calls made in a second",
                Scenario.ALL.size(),
                seconds(50, 80, 5),
                Axis.linear(0, 1, tick(0, "0%"), tick(0.5, "50%"), tick(1, "100%")));
        for (Scenario scenario : Scenario.ALL) {
            chart.add(scenario.title(), "", Storm.ofOneMinute(scenario)::successInSecond);
        }
        return chart.finished();
    }

    static Axis seconds(int from, int to, int step) {
        List<Axis.Tick> ticks = new ArrayList<>();
        for (int second = from; second <= to; second += step) {
            ticks.add(tick(second, Integer.toString(second)));
        }
        return new Axis(from, to, false, ticks);
    }
}
