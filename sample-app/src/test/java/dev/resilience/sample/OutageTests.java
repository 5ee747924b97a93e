package dev.resilience.sample;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.sample.OperationsFiles.Alert;
import dev.resilience.sample.OperationsFiles.Query;
import dev.resilience.sample.gateway.PaymentGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

/**
 * The alerts and the dashboard of {@code docs/operations} on a real Prometheus, which has scraped two shops on a calm day
 * and in an outage of the first one. The alerts are those of the file, with all times divided by {@value #FASTER}
 * and as few calls as such a time has; {@link OperationsFilesTests} proves at which minute the file itself lets them fire.
 */
class OutageTests {

    private static final int FASTER = 250;
    private static final Pattern TIME = Pattern.compile("(?<=\\[|offset |for: )(\\d+)([md])\\b");

    /** How many calls an alert wants to see in its minutes. */
    private static final Pattern MINIMUM = Pattern.compile("> [12]0$", Pattern.MULTILINE);

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

    @TempDir
    static Path directory;

    private static final List<AutoCloseable> STARTED = new ArrayList<>();
    private static final List<JsonNode> ALERTS = new ArrayList<>();
    private static Prometheus prometheus;
    private static Shop shop;
    private static Carrier carrier;
    private static JdbcTemplate database;
    private static Instant begin;
    private static Instant outage;
    private static CompletableFuture<?> tracking = CompletableFuture.completedFuture("none yet");
    private static int orders;

    @BeforeAll
    static void watchAnOutage() throws IOException {
        Prometheus.assumeInstalled();
        begin = Instant.now();
        ConfigurableApplicationContext application = start("jdbc");
        ConfigurableApplicationContext neighbour = start("memory");
        shop = new Shop(port(application));
        carrier = application.getBean(Carrier.class);
        database = application.getBean(JdbcTemplate.class);
        watch(port(application), port(neighbour));

        new Shop(port(neighbour)).order("neighbour");
        until(OutageTests::orderOnACalmDay, OutageTests::assertUsualIsKnown);
        outage = Instant.now();

        breaker("metrics-only");
        shop.gatewayBehaves("{\"errorRate\":1,\"latency\":\"PT0.02S\"}");
        untilFiring(
                OutageTests::orderInBursts,
                "ResilienceRetriesInVain",
                "ResilienceRetryBudgetExhausted",
                "ResilienceBulkheadSaturated",
                "ResilienceDuplicatesUnusual",
                "ResilienceDeadLettersGrowing");
        breaker("reset");
        untilFiring(OutageTests::openAndClose, "ResilienceBreakerFlapping");
        shop.gatewayBehaves("{\"refuse\":true}");
        untilFiring(() -> order("refused"), "ResilienceBreakerOpen");
        renameTables("", "_lost");
        untilFiring(OutageTests::orderAndShip, "ResilienceStoreFailing");
        until(OutageTests::orderAndShip, () -> assertThat(firing()).isEqualTo(EXPECTED));
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable started : STARTED) {
            started.close();
        }
    }

    @Test
    void noAlertIsEvenPendingOnACalmDay() {
        assertThat(prometheus.query("ALERTS", begin, outage)).isEmpty();
    }

    @Test
    void eachAlertFiresForThePoliciesThatFail() {
        assertThat(firing()).isEqualTo(EXPECTED);
    }

    @Test
    void eachAlertSaysWhatFailsAndHowBad() {
        for (Alert alert : OperationsFiles.alerts()) {
            assertThat(ALERTS)
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
                .query(inGrafana(query.expression()), begin)
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
        renameTables("_lost", "");
        shop.gatewayBehaves("{}");

        until(
                () -> order("after the outage"),
                () -> assertThat(prometheus.query(
                                "ALERTS{alertname!~\"ResilienceBreakerFlapping|ResilienceDeadLettersGrowing\"}"))
                        .isEmpty());
    }

    private static ConfigurableApplicationContext start(String store) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(
                        SampleApplication.class, Carrier.class)
                .run(
                        "--server.port=0",
                        "--shop.gateway.port=0",
                        "--resilience.idempotency-store.type=" + store,
                        "--resilience.retry.gateway.backoff.base-delay=1ms",
                        "--resilience.retry.gateway.budget=none",
                        "--resilience.circuit-breaker.gateway.failure-rate-threshold=0",
                        "--resilience.circuit-breaker.gateway.open-duration=100ms",
                        "--resilience.circuit-breaker.gateway.max-open-duration=100ms",
                        "--resilience.circuit-breaker.gateway.slow-call-duration=10ms",
                        "--resilience.circuit-breaker.gateway.slow-call-rate-threshold=0",
                        // the first call that fails uses up the budget
                        "--resilience.retry.shipping.max-attempts=11",
                        "--resilience.retry.shipping.backoff.strategy=fixed",
                        "--resilience.retry.shipping.backoff.base-delay=1ms",
                        "--resilience.retry.shipping.budget=shipping",
                        "--resilience.retry.shipping.dead-letter=true",
                        "--resilience.retry-budget.shipping.min-retries-per-second=1",
                        "--resilience.retry-budget.shipping.max-ratio=0",
                        "--resilience.time-limit.tracking.timeout=300ms",
                        "--resilience.time-limit.tracking.thread=worker",
                        "--logging.level.root=off");
        STARTED.add(application);
        return application;
    }

    private static void watch(int... ports) throws IOException {
        Files.writeString(directory.resolve("alerts.yml"), faster(OperationsFiles.rules()));
        Files.writeString(directory.resolve("prometheus.yml"), """
                global: {scrape_interval: 250ms, scrape_timeout: 250ms, evaluation_interval: 250ms}
                rule_files: [alerts.yml]
                scrape_configs:
                  - job_name: shop
                    metrics_path: /actuator/prometheus
                    static_configs: [targets: ['localhost:%d', 'localhost:%d']]
                """.formatted(ports[0], ports[1]));
        prometheus = Prometheus.start(directory);
        STARTED.add(0, prometheus);
    }

    private static String faster(String rules) {
        return TIME.matcher(MINIMUM.matcher(rules).replaceAll("> 2")).replaceAll(OutageTests::faster);
    }

    private static String faster(MatchResult time) {
        Duration whole = time.group(2).equals("d")
                ? Duration.ofDays(Long.parseLong(time.group(1)))
                : Duration.ofMinutes(Long.parseLong(time.group(1)));
        return whole.dividedBy(FASTER).toMillis() + "ms";
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

    private static void orderOnACalmDay() {
        orders++;
        if (orders % 20 == 0) {
            shop.gatewayBehaves("{\"failNext\":1}");
        }
        order("calm-" + orders);
        if (orders % 20 == 0) {
            order("calm-" + orders);
            shop.getWithDeadline("/orders");
        }
    }

    private static void assertUsualIsKnown() {
        String duplicates = "resilience_idempotency_calls_total{outcome=\"replayed\"}[1d] offset 10m";
        assertThat(prometheus.query("sum(rate(" + faster(duplicates) + ")) > 0"))
                .isNotEmpty();
    }

    private static void orderInBursts() {
        List<CompletableFuture<Shop.Answer>> burst = IntStream.range(0, 20)
                .mapToObj(i -> shop.startOrder("burst-" + orders++, "42.00"))
                .toList();
        carrier.announce();
        IntStream.range(0, 10).forEach(i -> order("calm-20"));
        if (tracking.isDone()) {
            tracking = CompletableFuture.runAsync(carrier::track);
        }
        burst.forEach(CompletableFuture::join);
    }

    private static void openAndClose() {
        shop.gatewayBehaves("{\"refuse\":true}");
        until(
                () -> order("down-" + orders++),
                () -> assertThat(shop.breakerState()).isEqualTo("OPEN"));
        shop.gatewayBehaves("{}");
        until(
                () -> order("up-" + orders++),
                () -> assertThat(shop.breakerState()).isEqualTo("CLOSED"));
    }

    private static void orderAndShip() {
        order("refused");
        carrier.announce();
    }

    private static void order(String key) {
        shop.order(key);
    }

    private static void breaker(String action) {
        shop.post("/actuator/resilience/circuit-breaker/gateway", "{\"action\":\"" + action + "\"}");
    }

    private static void renameTables(String from, String to) {
        for (String table : List.of("resilience_idempotency", "resilience_dead_letter")) {
            database.execute("ALTER TABLE " + table + from + " RENAME TO " + table + to);
        }
    }

    private static void untilFiring(Runnable traffic, String... alerts) {
        until(traffic, () -> {
            prometheus.call("alerts", Map.of()).path("alerts").valueStream().forEach(ALERTS::add);
            assertThat(ALERTS.stream()
                            .filter(alert -> alert.path("state").asString().equals("firing"))
                            .map(alert -> alert.at("/labels/alertname").asString()))
                    .contains(alerts);
        });
    }

    /** Makes calls until an assertion holds. */
    private static void until(Runnable traffic, ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(40))
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> {
                    traffic.run();
                    assertion.run();
                });
    }

    /** The alerts that have fired since the outage began, with the policies that they fired for. */
    private static Map<String, Set<String>> firing() {
        return prometheus
                .query("ALERTS{alertstate=\"firing\"}", begin)
                .valueStream()
                .map(series -> series.path("metric"))
                .collect(groupingBy(
                        labels -> labels.path("alertname").asString(),
                        mapping(labels -> labels.path("name").asString(), toSet())));
    }

    private static int port(ConfigurableApplicationContext application) {
        return application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** What the sample has no need of: a time limit, a fallback and dead letters. Calls the gateway. */
    static class Carrier {

        private final RestClient gateway;

        Carrier(PaymentGateway gateway) {
            this.gateway = RestClient.create(gateway.uri().toString());
        }

        @Retryable("shipping")
        @Fallback("announceLater")
        void announce() {
            gateway.post()
                    .uri("/charges")
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{\"amount\":1}")
                    .retrieve()
                    .toBodilessEntity();
        }

        void announceLater() {}

        @TimeLimit("tracking")
        void track() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException tooLate) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
