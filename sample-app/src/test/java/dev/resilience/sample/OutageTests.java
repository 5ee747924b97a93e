package dev.resilience.sample;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.OperationsFiles.Alert;
import dev.resilience.sample.OperationsFiles.Query;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The alerts and the dashboard of {@code docs/operations} on a real Prometheus, which has scraped the sample on a calm day
 * and in an outage. {@link OperationsFilesTests} proves at which minute the alerts fire; here the times are shorter.
 */
@Tag("long")
class OutageTests {

    /** For which policies each alert fires in this outage. */
    private static final Map<String, Set<String>> EXPECTED = Map.of(
            "ResilienceBreakerOpen", Set.of("gateway"),
            "ResilienceBreakerFlapping", Set.of("gateway"),
            "ResilienceRetriesInVain", Set.of("gateway"),
            "ResilienceRetryBudgetExhausted", Set.of("shipping"),
            "ResilienceBulkheadSaturated", Set.of("gateway"),
            "ResilienceStoreFailing", Set.of("orders", "shipping"),
            "ResilienceDuplicatesUnusual", Set.of("orders"),
            "ResilienceDeadLettersGrowing", Set.of("shipping"));

    /** What this outage leaves at 0. */
    private static final Set<String> UNTOUCHED = Set.of("Threads of asynchronous retries");

    private static final Outage OUTAGE = new Outage();

    private static Prometheus prometheus;
    private static Instant calmDay;
    private static Instant outageBegan;

    @BeforeAll
    static void watchAnOutage(@TempDir Path directory) throws IOException {
        Prometheus.assumeInstalled();
        calmDay = Instant.now();
        OUTAGE.start(directory);
        prometheus = OUTAGE.prometheus();
        outageBegan = Instant.now();
        OUTAGE.begin();
        OUTAGE.goesOnUntil(() -> assertThat(firing()).isEqualTo(EXPECTED));
    }

    @AfterAll
    static void stop() {
        OUTAGE.close();
    }

    @Test
    void noAlertIsEvenPendingOnACalmDay() {
        assertThat(prometheus.query("ALERTS", calmDay, outageBegan)).isEmpty();
    }

    @Test
    void eachAlertFiresForThePoliciesThatFail() {
        assertThat(firing()).isEqualTo(EXPECTED);
    }

    @Test
    void eachAlertSaysWhatFailsAndHowBad() {
        for (Alert alert : OperationsFiles.alerts()) {
            assertThat(OUTAGE.alerts())
                    .filteredOn(
                            found -> found.at("/labels/alertname").asString().equals(alert.name()))
                    .isNotEmpty()
                    .allSatisfy(found -> {
                        String policy = found.at("/labels/name").asString();
                        assertThat(found.at("/labels/job").asString()).isEqualTo("shop");
                        assertThat(found.at("/labels/severity").asString())
                                .isEqualTo(alert.labels().get("severity"));
                        assertThat(found.at("/annotations/description").asString())
                                .contains(policy)
                                .doesNotContain("<", "NaN", "Inf");
                    });
        }
    }

    @Test
    void prometheusEvaluatesEachAlertWithoutAnError() {
        JsonNode rules = prometheus.call("rules", Map.of()).at("/groups/0/rules");

        assertThat(rules.valueStream())
                .hasSize(8)
                .allSatisfy(rule -> assertThat(rule.path("health").asString())
                        .as(rule.toString())
                        .isEqualTo("ok"));
    }

    @ParameterizedTest
    @MethodSource("dev.resilience.sample.OperationsFiles#queries")
    void eachQueryOfTheDashboardShowsTheOutage(Query query) {
        Stream<Double> values = prometheus
                .query(inGrafana(query.expression()), calmDay)
                .valueStream()
                .flatMap(series -> series.path("values").valueStream())
                .map(sample -> Double.valueOf(sample.path(1).asString()));

        assertThat(values)
                .anySatisfy(value -> assertThat(value).isGreaterThanOrEqualTo(0))
                .anyMatch(value -> value > 0 || UNTOUCHED.contains(query.title()), "shows anything but 0");
    }

    @Test
    void theVariablesOfTheDashboardOfferApplicationsInstancesAndPolicies() {
        assertThat(offered("application")).containsExactly("shop");
        assertThat(offered("instance")).hasSize(2);
        assertThat(offered("policy")).contains("gateway", "orders", "shipping", "tracking", "Carrier.announce");
    }

    @Test
    void alertsEndWhenTheOutageEnds() {
        OUTAGE.endsUntil(() -> assertThat(prometheus.query(
                        "ALERTS{alertname!~\"ResilienceBreakerFlapping|ResilienceDeadLettersGrowing\"}"))
                .isEmpty());
    }

    /** The alerts that have fired since the outage began, with the policies that they fired for. */
    private static Map<String, Set<String>> firing() {
        return prometheus
                .query("ALERTS{alertstate=\"firing\"}", calmDay)
                .valueStream()
                .map(series -> series.path("metric"))
                .collect(groupingBy(
                        labels -> labels.path("alertname").asString(),
                        mapping(labels -> labels.path("name").asString(), toSet())));
    }

    /** What Grafana makes of an expression if all is chosen. */
    private static String inGrafana(String expression) {
        return expression
                .replace("$__rate_interval", "1500ms")
                .replace("$__range", "1m")
                .replaceAll("\\$(application|instance|policy)", Matcher.quoteReplacement(".*"));
    }

    private static List<String> offered(String variable) {
        JsonNode query = OperationsFiles.dashboard()
                .at("/templating/list")
                .valueStream()
                .filter(found -> found.path("name").asString().equals(variable))
                .map(found -> found.at("/query/query"))
                .findFirst()
                .orElseThrow();
        Matcher values = Pattern.compile("label_values\\((.+), (\\w+)\\)").matcher(query.asString());
        assertThat(values.matches()).isTrue();
        return prometheus
                .call("label/" + values.group(2) + "/values", Map.of("match[]", inGrafana(values.group(1))))
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }
}
