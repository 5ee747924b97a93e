package dev.resilience.simulation;

import static dev.resilience.simulation.Axis.tick;

import dev.resilience.simulation.LimitScenario.Service;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The tables and pictures of how the limit of an adaptive bulkhead moves. */
final class LimitReport {

    private static final int PHASE_SECONDS = 120;
    private static final int TEN_MINUTES = 600;
    private static final long SEED = 1;
    private static final int QUEUE = 50;

    private LimitReport() {}

    static String day() {
        StringBuilder table = new StringBuilder("| calls take | phase |");
        for (LimitRule rule : LimitRule.values()) {
            table.append(' ').append(rule.title()).append(" |");
        }
        table.append("\n|---|---|")
                .append("---:|".repeat(LimitRule.values().length))
                .append('\n');
        for (Service service : Service.values()) {
            Map<LimitRule, List<LimitResult>> results = new EnumMap<>(LimitRule.class);
            for (LimitRule rule : LimitRule.values()) {
                results.put(rule, day(rule, service));
            }
            List<LimitPhase> phases =
                    LimitScenario.day(service, QUEUE, PHASE_SECONDS).phases();
            for (int phase = 0; phase < phases.size(); phase++) {
                table.append("| ").append(service.title()).append(" | ");
                table.append(phases.get(phase).title()).append(" |");
                for (List<LimitResult> ofRule : results.values()) {
                    table.append(' ').append(cell(ofRule.get(phase))).append(" |");
                }
                table.append('\n');
            }
        }
        return table.toString();
    }

    private static List<LimitResult> day(LimitRule rule, Service service) {
        return LimitSimulation.run(rule, LimitScenario.day(service, QUEUE, PHASE_SECONDS), SEED);
    }

    private static String cell(LimitResult result) {
        return String.format(
                Locale.ROOT, "%.0f/s, %.0f ms, %.0f", result.served(), result.p99Millis(), result.meanLimit());
    }

    static String overload() {
        StringBuilder table = new StringBuilder("| limit | 1st minute | 3rd | 5th | 10th | served | p99 |\n");
        table.append("|---|---:|---:|---:|---:|---:|---:|\n");
        for (LimitRule rule : LimitRule.values()) {
            LimitResult result = overload(rule);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.0f | %.0f | %.0f | %.0f/s | %.0f ms |%n",
                    rule.title(),
                    result.meanLimit(0, 60),
                    result.meanLimit(120, 180),
                    result.meanLimit(240, 300),
                    result.meanLimit(540, 600),
                    result.served(),
                    result.p99Millis()));
        }
        return table.toString();
    }

    private static LimitResult overload(LimitRule rule) {
        LimitScenario scenario = LimitScenario.steady(1.1, 40, 0.05, Service.EXPONENTIAL, QUEUE, TEN_MINUTES);
        return LimitSimulation.run(rule, scenario, SEED).get(0);
    }

    static String callees() {
        StringBuilder table =
                new StringBuilder("| servers | a call takes | load | served | refused | limit, 2nd half | p99 |\n");
        table.append("|---:|---:|---:|---:|---:|---:|---:|\n");
        for (Callee callee : Callee.values()) {
            for (double load : new double[] {0.6, 1.1}) {
                LimitResult result = callee.run(load, SEED);
                double capacity = LimitScenario.capacity(callee.servers, callee.seconds);
                table.append(String.format(
                        Locale.ROOT,
                        "| %d | %,.0f ms | %.0f%% | %.0f%% | %.1f%% | %.1f | %,.0f ms |%n",
                        callee.servers,
                        callee.seconds * 1_000,
                        100 * load,
                        100 * result.served() / capacity,
                        100 * result.refused() / capacity,
                        result.settledLimit(),
                        result.p99Millis()));
            }
        }
        return table.toString();
    }

    /** From two servers to two hundred, from a millisecond to a second. Seen after a tenth of its time. */
    enum Callee {
        TWO(2, 0.1, 1_200),
        TEN(10, 0.1, 600),
        TWENTY_SLOW_ONES(20, 1, 1_200),
        FORTY(40, 0.05, 300),
        TWO_HUNDRED(200, 0.1, 120),
        TEN_FAST_ONES(10, 0.001, 30);

        final int servers;
        final double seconds;
        private final int lasts;

        Callee(int servers, double seconds, int lasts) {
            this.servers = servers;
            this.seconds = seconds;
            this.lasts = lasts;
        }

        LimitResult run(double load, long seed) {
            double rate = load * LimitScenario.capacity(servers, seconds);
            List<LimitPhase> phases = List.of(
                    new LimitPhase("begins", lasts / 10, rate, servers),
                    new LimitPhase("goes on", lasts, rate, servers));
            LimitScenario scenario = new LimitScenario("steady", seconds, Service.EXPONENTIAL, QUEUE, phases);
            return LimitSimulation.run(LimitRule.ADAPTIVE, scenario, seed).get(1);
        }
    }

    static String dayPlot() {
        List<double[]> right = new ArrayList<>();
        int second = 0;
        for (LimitPhase phase :
                LimitScenario.day(Service.EXPONENTIAL, QUEUE, PHASE_SECONDS).phases()) {
            double servers = phase.hangs() ? 0 : phase.servers();
            right.add(new double[] {second, servers});
            second += phase.seconds();
            right.add(new double[] {second, servers});
        }
        LineChart chart = chart(
                "The limit while a callee changes",
                "The adaptive limit stays near the number of servers: 40, 20 after two minutes, 40 again; Gradient2's"
                        + " grows to three times as many.",
                Plots.seconds(0, second, PHASE_SECONDS));
        for (LimitRule rule : new LimitRule[] {LimitRule.ADAPTIVE, LimitRule.GRADIENT2}) {
            List<double[]> values = new ArrayList<>();
            day(rule, Service.EXPONENTIAL).forEach(result -> addSeconds(values, result));
            chart.addLine(rule.title(), rule == LimitRule.ADAPTIVE ? 0 : 1, values);
        }
        chart.addLine("servers", 2, right);
        return chart.finished();
    }

    static String overloadPlot() {
        LineChart chart = chart(
                "Ten minutes at 1.1 times the capacity",
                "The adaptive limit stays at 44 for 40 servers, Gradient2's drifts upwards.",
                Plots.seconds(0, TEN_MINUTES, 60));
        for (LimitRule rule : new LimitRule[] {LimitRule.ADAPTIVE, LimitRule.GRADIENT2}) {
            List<double[]> values = new ArrayList<>();
            addSeconds(values, overload(rule));
            chart.addLine(rule.title(), rule == LimitRule.ADAPTIVE ? 0 : 1, values);
        }
        chart.addLine("servers", 2, List.of(new double[] {0, 40}, new double[] {TEN_MINUTES, 40}));
        return chart.finished();
    }

    private static LineChart chart(String title, String description, Axis seconds) {
        Axis limit = Axis.linear(
                0,
                200,
                tick(0, "0"),
                tick(40, "40"),
                tick(80, "80"),
                tick(120, "120"),
                tick(160, "160"),
                tick(200, "200"));
        return new LineChart(title, description, "calls that may run at once", seconds, "seconds", limit);
    }

    private static void addSeconds(List<double[]> values, LimitResult result) {
        for (int limit : result.limits()) {
            values.add(new double[] {values.size() + 1, limit});
        }
    }
}
