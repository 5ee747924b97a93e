package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.ThrowingSupplier;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.http.HttpMethod;

/** With {@code per-host} each host has a circuit breaker and a bulkhead of its own. */
class PerHostTests {

    private final RawServer up = new RawServer();
    private final RawServer down = new RawServer().otherwise(answer(503, "down"));
    private final CountDownLatch end = new CountDownLatch(1);

    private HttpClient client;
    private CircuitBreaker breaker;
    private Bulkhead bulkhead;
    private ResilienceEndpoint endpoint;
    private MeterRegistry meters;

    @AfterEach
    void close() {
        end.countDown();
        up.close();
        down.close();
    }

    private void run(Clients clients, ContextConsumer<AssertableApplicationContext> use, String... properties) {
        clients.application(
                        "resilience.http-client.backend.hosts=*",
                        "resilience.http-client.backend.per-host=true",
                        "resilience.http-client.backend.circuit-breaker=backend",
                        "resilience.http-client.backend.bulkhead=backend",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.http-client.backend.time-limit=backend",
                        "resilience.retry.backend.max-attempts=1",
                        "resilience.retry.backend.budget=shared",
                        "resilience.retry-budget.shared.max-ratio=0.2",
                        "resilience.time-limit.backend.timeout=20s",
                        "resilience.circuit-breaker.backend.failure-threshold=2",
                        "resilience.bulkhead.backend.max-concurrent=1",
                        "resilience.bulkhead.backend.max-queue=0",
                        "management.endpoints.jmx.exposure.include=resilience",
                        "spring.jmx.enabled=true")
                .withPropertyValues(properties)
                .withConfiguration(SortedOnce.of(
                        ResilienceMetricsAutoConfiguration.class, ResilienceActuatorAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(ManualTimeSource.class)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    ResilienceRegistry registry = application.getBean(ResilienceRegistry.class);
                    client = registry.get(HttpClient.class, "backend");
                    breaker = registry.circuitBreakers().get("backend");
                    bulkhead = registry.bulkheads().get("backend");
                    endpoint = application.getBean(ResilienceEndpoint.class);
                    meters = application.getBean(MeterRegistry.class);
                    use.accept(application);
                });
    }

    private String call(int host, ThrowingSupplier<String, IOException> body) {
        try {
            return client.pipeline(HostPattern.of("h" + host)).call(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fail(int host) {
        assertThat(catchThrowable(() -> call(host, () -> {
                    throw new SocketTimeoutException("down");
                })))
                .isNotNull();
    }

    /** A call that runs until the end of the test. */
    private void runs(int host) {
        int before = bulkhead.running();
        CompletableFuture.runAsync(
                () -> call(host, () -> {
                    try {
                        end.await();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                    return "late";
                }),
                task -> new Thread(task).start());
        Awaitility.await().until(() -> bulkhead.running() == before + 1);
    }

    private double calls(String meter, String outcome) {
        return meters.get(meter)
                .tags("name", "backend", "outcome", outcome)
                .functionCounter()
                .count();
    }

    @SuppressWarnings("unchecked")
    private Map<String, Map<String, Object>> hostsShown() {
        Map<String, Object> state = (Map<String, Object>)
                endpoint.policy("http-client", "backend", null).get("state");
        return (Map<String, Map<String, Object>>) state.get("hosts");
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT_ON_JDK", "WEB_CLIENT_ON_REACTOR"})
    void oneHostThatIsDownOpensNoBreakerOfAnother(Clients clients) {
        run(clients, application -> {
            assertThat(calls("resilience.circuitbreaker.calls", "failure")).isZero();
            assertThat(calls("resilience.retry.calls", "exhausted")).isZero();
            for (int i = 0; i < 2; i++) {
                assertThat(clients.send(application, HttpMethod.GET, down.url(), null)
                                .status())
                        .isEqualTo(503);
                assertThat(clients.send(application, HttpMethod.GET, up.url(), null)
                                .status())
                        .isEqualTo(200);
            }
            assertThatThrownBy(() -> clients.send(application, HttpMethod.GET, down.url(), null))
                    .isInstanceOf(CircuitOpenException.class)
                    .hasMessageContaining("backend[127.0.0.1:" + down.port() + "]");
            assertThat(clients.send(application, HttpMethod.GET, up.url(), null).status())
                    .isEqualTo(200);

            assertThat(down.requests()).hasSize(2);
            assertThat(calls("resilience.circuitbreaker.calls", "failure")).isEqualTo(2);
            assertThat(calls("resilience.circuitbreaker.calls", "success")).isEqualTo(3);
            assertThat(calls("resilience.circuitbreaker.calls", "rejected")).isEqualTo(1);
            assertThat(calls("resilience.bulkhead.calls", "accepted")).isEqualTo(6);
            assertThat(calls("resilience.retry.calls", "success")).isEqualTo(3);
            assertThat(calls("resilience.retry.calls", "exhausted")).isEqualTo(2);
            assertThat(calls("resilience.timelimit.calls", "in_time")).isEqualTo(5);
            assertThat(meters.get("resilience.retry.budget.available")
                            .tags("name", "shared")
                            .gauge()
                            .value())
                    .isPositive();
            assertThat(meters.getMeters().toString()).doesNotContain("127.0.0.1", "h1");

            assertThat(hostsShown().keySet()).containsExactly("127.0.0.1:" + down.port(), "127.0.0.1:" + up.port());
            assertThat(hostsShown().get("127.0.0.1:" + down.port())).containsEntry("state", "OPEN");
            assertThat(endpoint.policy("http-client", "backend", null).get("policy"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("hosts", List.of("*"))
                    .containsEntry("circuit-breaker", "backend")
                    .containsEntry("per-host", true);
            assertThat(endpoint.policy("circuit-breaker", "backend", null).get("events"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .anySatisfy(event -> assertThat(event)
                            .asInstanceOf(InstanceOfAssertFactories.MAP)
                            .containsEntry("type", "state-changed")
                            .containsEntry("name", "backend[127.0.0.1:" + down.port() + "]"));
            assertThat(endpoint.policy("http-client", "backend", null).get("usedBy"))
                    .isEqualTo(List.of("*"));
            assertThat(endpoint.policy("circuit-breaker", "backend", null).get("usedBy"))
                    .isEqualTo(List.of("http-client backend"));
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of("http-client/backend"));
        });
    }

    @Test
    void eachHostHasPermitsOfItsOwnWhichTheGaugesSum() {
        run(Clients.REST_CLIENT_ON_JDK, application -> {
            runs(1);
            runs(2);
            assertThatThrownBy(() -> call(1, () -> "more")).isInstanceOf(BulkheadFullException.class);
            assertThat(meters.get("resilience.bulkhead.running").gauge().value())
                    .isEqualTo(2);
            assertThat(calls("resilience.bulkhead.calls", "rejected")).isEqualTo(1);

            application
                    .getBean(ResilienceRegistry.class)
                    .reconfigure(Bulkhead.class, "backend", Map.of("max-concurrent", 2));
            assertThat(call(1, () -> "more")).isEqualTo("more");
        });
    }

    @Test
    void theWaitsOfAllHostsAreMeasured() {
        run(
                Clients.REST_CLIENT_ON_JDK,
                application -> {
                    runs(1);
                    CompletableFuture<String> waits =
                            CompletableFuture.supplyAsync(() -> call(1, () -> "x"), task -> new Thread(task).start());
                    Awaitility.await().until(() -> bulkhead.queued() == 1);
                    end.countDown();

                    assertThat(waits.join()).isEqualTo("x");
                    assertThat(meters.get("resilience.bulkhead.wait").timer().count())
                            .isEqualTo(1);
                },
                "resilience.bulkhead.backend.max-queue=1");
    }

    @Test
    void whatAnOperatorDoesWithTheBreakerHoldsForAllHosts() {
        run(Clients.REST_CLIENT_ON_JDK, application -> {
            call(1, () -> "known");
            fail(2);
            fail(2);
            breaker.forceOpen();
            assertThatThrownBy(() -> call(1, () -> "x")).isInstanceOf(CircuitOpenException.class);
            assertThatThrownBy(() -> call(3, () -> "x")).isInstanceOf(CircuitOpenException.class);

            breaker.disable();
            assertThat(call(2, () -> "x")).isEqualTo("x");
            runs(1);
            assertThat(call(2, () -> "permits are each host's own")).isNotNull();

            breaker.close();
            assertThat(call(3, () -> "x")).isEqualTo("x");
            assertThatThrownBy(() -> call(2, () -> "x")).isInstanceOf(CircuitOpenException.class);

            application
                    .getBean(ResilienceRegistry.class)
                    .reconfigure(CircuitBreaker.class, "backend", Map.of("failure-threshold", 1));
            fail(3);
            assertThatThrownBy(() -> call(3, () -> "x")).isInstanceOf(CircuitOpenException.class);

            application.getBean(ResilienceRegistry.class).reset();
            assertThat(call(2, () -> "x")).isEqualTo("x");
        });
    }

    @Test
    void aThousandHostsAreKeptThoseThatAreIdleGoFirst() {
        run(Clients.REST_CLIENT_ON_JDK, application -> {
            runs(1);
            fail(2);
            fail(2);
            for (int host = 3; host <= 1_500; host++) {
                call(host, () -> "x");
                call(3, () -> "x"); // often
            }
            assertThat(client.byHost.some(2_000, host -> false, host -> host))
                    .hasSize(1_000)
                    .containsKeys("h1", "h2", "h3", "h1500")
                    .doesNotContainKey("h4");
            assertThat(calls("resilience.bulkhead.calls", "accepted")).isEqualTo(1 + 2 + 2 * 1498);
            assertThat(hostsShown()).hasSize(20).containsKeys("h1", "h2");
        });
    }
}
