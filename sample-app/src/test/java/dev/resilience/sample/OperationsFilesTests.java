package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.OperationsFiles.Alert;
import dev.resilience.sample.OperationsFiles.Query;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The files of {@code docs/operations}, without a running Prometheus. */
class OperationsFilesTests {

    private static final Pattern METER = Pattern.compile("resilience_[a-z_]+(?=\\{|\\[|\\)| |$)");
    private static final Pattern OUTCOMES =
            Pattern.compile("(resilience_[a-z_]+)\\{[^}]*outcome(?:=|!=|=~|!~)\"([a-z_|]+)\"");
    private static final Pattern LINK =
            Pattern.compile("https://github\\.com/[a-z-]+/[a-z-]+/blob/main/docs/([a-z-]+\\.md)(?:#([a-z0-9-]+))?");

    /** A row of the table of meters, with the second and third names of its first column. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`resilience\\..+?) \\| (\\w+)(.*)$");

    @Test
    void prometheusAcceptsTheAlerts() throws Exception {
        assertThat(Prometheus.tool(OperationsFiles.DIRECTORY, "check", "rules", "resilience-alerts.yml"))
                .startsWith("0: ");
    }

    @Test
    void eachAlertFiresWhenItShouldAndNotBefore() throws Exception {
        assertThat(Prometheus.tool(OperationsFiles.DIRECTORY, "test", "rules", "alerts-test.yml"))
                .startsWith("0: ");
    }

    @Test
    void eachAlertIsTestedAndExplained() {
        String tests = OperationsFiles.read(OperationsFiles.DIRECTORY.resolve("alerts-test.yml"));
        String page = OperationsFiles.read(OperationsFiles.DOCS.resolve("operations.md"));

        assertThat(OperationsFiles.alerts()).hasSize(8).allSatisfy(alert -> {
            assertThat(tests).contains("ALERTS{alertname=\"" + alert.name() + "\", alertstate=\"firing\"");
            assertThat(page)
                    .contains("| `" + alert.name() + "` | " + alert.labels().get("severity") + " |");
        });
    }

    @Test
    void eachAlertLinksAnAnswerOfTheTroubleshootingPage() {
        assertThat(OperationsFiles.alerts())
                .extracting(alert -> alert.annotations().get("runbook_url"))
                .allSatisfy(url -> {
                    assertThat(url).contains("/docs/troubleshooting.md#");
                    assertLinksLeadSomewhere(url, 1);
                });
    }

    @Test
    void linksOfTheDashboardLeadSomewhere() {
        assertLinksLeadSomewhere(OperationsFiles.dashboard().toString(), 8);
    }

    @Test
    void queriesUseMetersAndOutcomesThatArePromised() {
        Map<String, String> meters = promisedMeters();

        assertThat(expressions()).hasSizeGreaterThan(40).allSatisfy(expression -> {
            assertThat(meters.keySet())
                    .containsAll(METER.matcher(expression)
                            .results()
                            .map(MatchResult::group)
                            .toList());
            for (MatchResult found : OUTCOMES.matcher(expression).results().toList()) {
                assertThat(meters.get(found.group(1)))
                        .contains(Stream.of(found.group(2).split("\\|", -1))
                                .map(outcome -> "`" + outcome + "`")
                                .toList()
                                .toArray(String[]::new));
            }
        });
    }

    @Test
    void eachPanelSaysWhatItShowsAndStandsForItself() {
        JsonNode dashboard = OperationsFiles.dashboard();
        List<JsonNode> panels = dashboard.path("panels").valueStream().toList();

        assertThat(panels).extracting(panel -> panel.path("id").asInt()).doesNotHaveDuplicates();
        assertThat(OperationsFiles.panels().toList()).hasSizeGreaterThan(25).allSatisfy(panel -> {
            assertThat(panel.path("title").asString()).isNotBlank();
            assertThat(panel.path("description").asString()).endsWith(".");
            assertThat(panel.at("/datasource/uid").asString()).isEqualTo("${datasource}");
        });
        Set<String> cells = new HashSet<>();
        panels.forEach(panel -> assertThat(cellsOf(panel.path("gridPos"))).allMatch(cells::add, "is free"));
        assertThat(expressions().filter(expression -> expression.contains("$")))
                .allSatisfy(expression -> assertThat(expression).contains("job=~\"$application\""));
    }

    private static Stream<String> expressions() {
        return Stream.concat(
                OperationsFiles.alerts().stream().map(Alert::expression),
                OperationsFiles.queries().map(Query::expression));
    }

    private static Stream<String> cellsOf(JsonNode position) {
        int left = position.path("x").asInt();
        int top = position.path("y").asInt();
        int right = left + position.path("w").asInt();
        assertThat(right).isLessThanOrEqualTo(24);
        return IntStream.range(top, top + position.path("h").asInt())
                .boxed()
                .flatMap(y -> IntStream.range(left, right).mapToObj(x -> x + " " + y));
    }

    /** The meters of the page, as Prometheus has them, each with its row. */
    private static Map<String, String> promisedMeters() {
        Map<String, String> meters = new HashMap<>();
        for (MatchResult row : ROW.matcher(OperationsFiles.read(OperationsFiles.DOCS.resolve("meters.md")))
                .results()
                .toList()) {
            String family = "";
            for (String name : row.group(1).replace("`", "").split(", ", -1)) {
                family = name.startsWith(".") ? family.substring(0, family.lastIndexOf('.')) + name : name;
                String exported = family.replace('.', '_');
                List<String> suffixes = switch (row.group(2)) {
                    case "counter" -> List.of("_total");
                    case "timer" -> List.of("_seconds_count", "_seconds_sum", "_seconds_max");
                    default -> List.of("");
                };
                suffixes.forEach(suffix -> meters.put(exported + suffix, row.group(0)));
            }
        }
        // the timer of retries has the outcomes of their calls
        meters.put("resilience_retry_duration_seconds_count", meters.get("resilience_retry_calls_total"));
        return meters;
    }

    private static void assertLinksLeadSomewhere(String text, int atLeast) {
        List<MatchResult> links = LINK.matcher(text).results().toList();
        assertThat(links).hasSizeGreaterThanOrEqualTo(atLeast);
        for (MatchResult link : links) {
            String page = OperationsFiles.read(OperationsFiles.DOCS.resolve(link.group(1)));
            if (link.group(2) != null) {
                assertThat(anchors(page)).as(link.group()).contains(link.group(2));
            }
        }
    }

    /** As they are made of headings by what shows Markdown. */
    private static Set<String> anchors(String page) {
        return page.lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }
}
