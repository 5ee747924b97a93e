package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.sample.gateway.PaymentGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

/**
 * Two shops on a calm day, then an outage of the first one, and a Prometheus that scrapes both all the time. Its alerts are
 * those of {@code docs/operations}, with all times divided by {@value #FASTER} and as few calls as such a time has.
 */
final class Outage implements AutoCloseable {

    private static final int FASTER = 250;
    private static final Pattern TIME = Pattern.compile("(?<=\\[|offset |for: )(\\d+)([md])\\b");

    /** How many calls an alert wants to see in its minutes. */
    private static final Pattern MINIMUM = Pattern.compile("> [12]0$", Pattern.MULTILINE);

    private final List<Runnable> closing = new ArrayList<>();
    private final List<JsonNode> alerts = new ArrayList<>();
    private Prometheus prometheus;
    private Shop shop;
    private Carrier carrier;
    private JdbcTemplate database;
    private CompletableFuture<?> tracking = CompletableFuture.completedFuture("none yet");
    private int orders;

    /** Starts all, and lets a calm day go by: as long as alerts look back for what is usual. */
    void start(Path directory) throws IOException {
        ConfigurableApplicationContext application = start("jdbc");
        ConfigurableApplicationContext neighbour = start("memory");
        shop = new Shop(port(application));
        carrier = application.getBean(Carrier.class);
        database = application.getBean(JdbcTemplate.class);
        watch(directory, port(application), port(neighbour));
        new Shop(port(neighbour)).order("neighbour");
        until(this::orderOnACalmDay, this::assertUsualIsKnown);
    }

    /** Lets fail what can fail, until all alerts have fired. The outage goes on. */
    void begin() {
        breaker("metrics-only");
        shop.gatewayBehaves("{\"errorRate\":1,\"latency\":\"PT0.02S\"}");
        untilFiring(
                this::orderInBursts,
                "ResilienceRetriesInVain",
                "ResilienceRetryBudgetExhausted",
                "ResilienceBulkheadSaturated",
                "ResilienceDuplicatesUnusual",
                "ResilienceDeadLettersGrowing");
        breaker("reset");
        untilFiring(this::openAndClose, "ResilienceBreakerFlapping");
        shop.gatewayBehaves("{\"refuse\":true}");
        untilFiring(() -> shop.order("refused"), "ResilienceBreakerOpen");
        renameTables("", "_lost");
        untilFiring(this::orderAndShip, "ResilienceStoreFailing");
    }

    /** Goes on until an assertion holds. */
    void goesOnUntil(ThrowingRunnable assertion) {
        until(this::orderAndShip, assertion);
    }

    /** Ends the outage, and waits until an assertion holds. */
    void endsUntil(ThrowingRunnable assertion) {
        renameTables("_lost", "");
        shop.gatewayBehaves("{}");
        until(() -> shop.order("after the outage"), assertion);
    }

    Prometheus prometheus() {
        return prometheus;
    }

    /** The alerts that were pending or fired, with their texts, as often as they were seen. */
    List<JsonNode> alerts() {
        return alerts;
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }

    private ConfigurableApplicationContext start(String store) {
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
        closing.add(application::close);
        return application;
    }

    private void watch(Path directory, int... ports) throws IOException {
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
        closing.add(0, prometheus::close);
    }

    private static String faster(String rules) {
        return TIME.matcher(MINIMUM.matcher(rules).replaceAll("> 2")).replaceAll(Outage::faster);
    }

    private static String faster(MatchResult time) {
        Duration whole = time.group(2).equals("d")
                ? Duration.ofDays(Long.parseLong(time.group(1)))
                : Duration.ofMinutes(Long.parseLong(time.group(1)));
        return whole.dividedBy(FASTER).toMillis() + "ms";
    }

    private void orderOnACalmDay() {
        orders++;
        if (orders % 20 == 0) {
            shop.gatewayBehaves("{\"failNext\":1}");
        }
        shop.order("calm-" + orders);
        if (orders % 20 == 0) {
            shop.order("calm-" + orders);
            shop.getWithDeadline("/orders");
        }
    }

    private void assertUsualIsKnown() {
        String duplicates = "resilience_idempotency_calls_total{outcome=\"replayed\"}[1d] offset 10m";
        assertThat(prometheus.query("sum(rate(" + faster(duplicates) + ")) > 0"))
                .isNotEmpty();
    }

    private void orderInBursts() {
        List<CompletableFuture<Shop.Answer>> burst = IntStream.range(0, 20)
                .mapToObj(i -> shop.startOrder("burst-" + orders++, "42.00"))
                .toList();
        carrier.announce();
        IntStream.range(0, 10).forEach(i -> shop.order("calm-20"));
        if (tracking.isDone()) {
            tracking = CompletableFuture.runAsync(carrier::track);
        }
        burst.forEach(CompletableFuture::join);
    }

    private void openAndClose() {
        shop.gatewayBehaves("{\"refuse\":true}");
        until(
                () -> shop.order("down-" + orders++),
                () -> assertThat(shop.breakerState()).isEqualTo("OPEN"));
        shop.gatewayBehaves("{}");
        until(
                () -> shop.order("up-" + orders++),
                () -> assertThat(shop.breakerState()).isEqualTo("CLOSED"));
    }

    private void orderAndShip() {
        shop.order("refused");
        carrier.announce();
    }

    private void breaker(String action) {
        shop.post("/actuator/resilience/circuit-breaker/gateway", "{\"action\":\"" + action + "\"}");
    }

    private void renameTables(String from, String to) {
        for (String table : List.of("resilience_idempotency", "resilience_dead_letter")) {
            database.execute("ALTER TABLE " + table + from + " RENAME TO " + table + to);
        }
    }

    private void untilFiring(Runnable traffic, String... expected) {
        until(traffic, () -> {
            prometheus.call("alerts", Map.of()).path("alerts").valueStream().forEach(alerts::add);
            assertThat(alerts.stream()
                            .filter(alert -> alert.path("state").asString().equals("firing"))
                            .map(alert -> alert.at("/labels/alertname").asString()))
                    .contains(expected);
        });
    }

    /** Makes calls until an assertion holds. */
    private void until(Runnable traffic, ThrowingRunnable assertion) {
        await().atMost(Duration.ofSeconds(40))
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> {
                    traffic.run();
                    assertion.run();
                });
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
