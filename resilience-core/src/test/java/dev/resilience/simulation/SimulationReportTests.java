package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The report in {@code docs} says what the simulations say. With {@code -Dsimulations.write=true} it is written anew,
 * without it the test compares; what it compares with is in {@code target/simulations}.
 */
@Tag("long")
class SimulationReportTests {

    private static final boolean WRITE = Boolean.getBoolean("simulations.write");
    private static final Path REPORT = Path.of("simulations.md");

    private static final Map<String, Supplier<String>> PLOTS = Map.of(
            "contention-writes.svg", Plots::contentionWrites,
            "contention-time.svg", Plots::contentionTime,
            "storm-load.svg", Plots::stormLoad,
            "storm-success.svg", Plots::stormSuccess,
            "breaker-served.svg", BreakerReport::servedPlot,
            "breaker-ramp.svg", BreakerReport::fleetPlot,
            "adaptive-day.svg", LimitReport::dayPlot,
            "adaptive-overload.svg", LimitReport::overloadPlot);

    private static final Map<String, Supplier<String>> TABLES = Map.of(
            "contention", Tables::contention,
            "storm", Tables::storm,
            "breaker-phases", Tables::breakerPhases,
            "breaker-served", BreakerReport::shareServed,
            "breaker-time-to-open", BreakerReport::timeToOpen,
            "breaker-ramp", BreakerReport::fleet);

    private static final Path ADAPTIVE = Path.of("adaptive-bulkhead.md");

    private static final Map<String, Supplier<String>> ADAPTIVE_TABLES = Map.of(
            "adaptive-day", LimitReport::day,
            "adaptive-overload", LimitReport::overload,
            "adaptive-callees", LimitReport::callees);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "contention-writes.svg",
                "contention-time.svg",
                "storm-load.svg",
                "storm-success.svg",
                "breaker-served.svg",
                "breaker-ramp.svg",
                "adaptive-day.svg",
                "adaptive-overload.svg"
            })
    void aPlotIsTheOneOfTheSimulation(String name) throws IOException {
        check(Path.of("plots", name), PLOTS.get(name).get());
    }

    @Test
    void theTablesAreThoseOfTheSimulations() throws IOException {
        checkTables(REPORT, TABLES);
    }

    @Test
    void theTablesOfTheAdaptiveBulkheadAreThoseOfTheSimulations() throws IOException {
        checkTables(ADAPTIVE, ADAPTIVE_TABLES);
    }

    private static void checkTables(Path page, Map<String, Supplier<String>> tables) throws IOException {
        String report = read(docs().resolve(page));
        for (Map.Entry<String, Supplier<String>> table : tables.entrySet()) {
            report = withTable(report, table.getKey(), table.getValue().get());
        }
        check(page, report);
    }

    private static void check(Path file, String generated) throws IOException {
        write(Path.of("target", "simulations").resolve(file), generated);
        Path committed = docs().resolve(file);
        if (WRITE) {
            write(committed, generated);
        }
        assertThat(Files.exists(committed) ? read(committed) : "")
                .as(
                        "docs/%s is not what the simulations say. Run"
                                + " mvn -Plong -pl resilience-core test -Dtest=SimulationReportTests -Dsimulations.write=true"
                                + " to renew it, and read what has changed",
                        file)
                .isEqualTo(generated);
    }

    /** Everything between the two marks of a table gives way to the table. */
    private static String withTable(String report, String name, String table) {
        String begin = "<!-- table: " + name + ", written by SimulationReportTests -->\n";
        String end = "<!-- end of table -->";
        int from = report.indexOf(begin) + begin.length();
        assertThat(from).as("the mark of the table " + name).isGreaterThanOrEqualTo(begin.length());
        return report.substring(0, from) + "\n" + table + "\n" + report.substring(report.indexOf(end, from));
    }

    private static Path docs() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("docs").resolve(REPORT))) {
            directory = directory.getParent();
        }
        return directory.resolve("docs");
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file).replace("\r\n", "\n"); // as it may be after a checkout on Windows
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
