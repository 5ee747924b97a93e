package dev.resilience.spring.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code key} of {@code @CircuitBreaker} and {@code @Bulkhead}: a live object for each key, and what operators see of it. */
class ProtectionByKeyTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceMetricsAutoConfiguration.class,
                    ResilienceActuatorAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(ManualTimeSource.class)
            .withPropertyValues(
                    "resilience.circuit-breaker.crm.failure-threshold=2",
                    "resilience.circuit-breaker.crm.failure-rate-threshold=0",
                    "resilience.circuit-breaker.plain.failure-threshold=2",
                    "resilience.bulkhead.crm.max-concurrent=1",
                    "resilience.bulkhead.crm.max-queue=0",
                    "management.endpoints.jmx.exposure.include=resilience",
                    "spring.jmx.enabled=true");

    private Crm crm;
    private ResilienceRegistry registry;
    private ResilienceEndpoint endpoint;
    private MeterRegistry meters;

    private void run(Runnable test, String... properties) {
        application.withPropertyValues(properties).withBean(Crm.class).run(context -> {
            assertThat(context).hasNotFailed();
            crm = context.getBean(Crm.class);
            registry = context.getBean(ResilienceRegistry.class);
            endpoint = context.getBean(ResilienceEndpoint.class);
            meters = context.getBean(MeterRegistry.class);
            test.run();
        });
    }

    private void open(@Nullable String tenant) {
        for (int i = 0; i < 2; i++) {
            assertThat(catchThrowable(() -> crm.find(tenant, true))).isInstanceOf(ConnectException.class);
        }
    }

    private double keys(String state) {
        return meters.get("resilience.circuitbreaker.keys")
                .tags("name", "crm", "state", state)
                .gauge()
                .value();
    }

    @SuppressWarnings("unchecked")
    private Map<String, Map<String, Object>> shown(String kind) {
        Map<String, Object> state =
                (Map<String, Object>) endpoint.policy(kind, "crm", null).get("state");
        return (Map<String, Map<String, Object>>) state.get("keys");
    }

    /** How a method answers. */
    enum Answer {
        VALUE {
            @Override
            String find(Crm crm, String tenant, boolean isDown) throws Exception {
                return crm.find(tenant, isDown);
            }
        },
        FUTURE {
            @Override
            String find(Crm crm, String tenant, boolean isDown) throws Exception {
                try {
                    return crm.findLater(tenant, isDown).get();
                } catch (java.util.concurrent.ExecutionException failed) {
                    throw (Exception) failed.getCause();
                }
            }
        },
        MONO {
            @Override
            String find(Crm crm, String tenant, boolean isDown) throws Exception {
                return String.valueOf(unwrapped(crm.findMono(tenant, isDown)));
            }
        },
        FLUX {
            @Override
            String find(Crm crm, String tenant, boolean isDown) throws Exception {
                return String.valueOf(unwrapped(crm.findFlux(tenant, isDown).next()));
            }
        };

        abstract String find(Crm crm, String tenant, boolean isDown) throws Exception;

        private static @Nullable String unwrapped(Mono<String> answer) throws Exception {
            try {
                return answer.block();
            } catch (RuntimeException failure) {
                Throwable cause = reactor.core.Exceptions.unwrap(failure);
                throw cause instanceof Exception thrown ? thrown : failure;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTenantThatFailsTakesNoOtherWithIt(Answer answer) {
        run(() -> {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> answer.find(crm, "bad", true)).isInstanceOf(ConnectException.class);
            }
            assertThatThrownBy(() -> answer.find(crm, "bad", false)).isInstanceOf(CircuitOpenException.class);
            assertThat(catchThrowable(
                            () -> assertThat(answer.find(crm, "good", false)).isEqualTo("good")))
                    .isNull();
            assertThat(registry.circuitBreakers().get("crm").currentState()).isEqualTo(CircuitState.CLOSED);
        });
    }

    @Test
    void eachTenantHasPermitsOfItsOwn() {
        run(() -> {
            CompletableFuture<String> end = new CompletableFuture<>();
            CompletableFuture<String> slow = crm.export("slow", end);
            assertThat(crm.export("slow", end))
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(BulkheadFullException.class);
            CompletableFuture<String> other = crm.export("other", end);
            assertThat(meters.get("resilience.bulkhead.running").gauge().value())
                    .isEqualTo(2);
            assertThat(meters.get("resilience.bulkhead.keys").gauge().value()).isEqualTo(2);
            assertThat(shown("bulkhead").get("slow"))
                    .containsEntry("running", 1)
                    .containsEntry("limit", 1)
                    .doesNotContainKey("calls");
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of("bulkhead/crm"));

            end.complete("done");
            assertThat(slow).isCompletedWithValue("done");
            assertThat(other).isCompletedWithValue("done");
            assertThat(meters.get("resilience.bulkhead.running").gauge().value())
                    .isZero();
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of());
        });
    }

    @Test
    void anAdaptiveLimitIsThatOfEachTenant() {
        run(
                () -> {
                    crm.export("a", CompletableFuture.completedFuture("done")).join();
                    assertThat(meters.get("resilience.bulkhead.limit").gauge().value())
                            .isNaN();
                    assertThat(shown("bulkhead").get("a")).containsEntry("limit", 20);
                    assertThat(String.valueOf(
                                    endpoint.policy("bulkhead", "crm", null).get("state")))
                            .containsOnlyOnce("limit="); // of the tenant
                },
                "resilience.bulkhead.crm.type=adaptive",
                "resilience.bulkhead.crm.max-concurrent=50");
    }

    @Test
    void callsWithoutAKeyShareOne() {
        run(() -> {
            open(null);
            assertThatThrownBy(() -> crm.find("", false)).isInstanceOf(CircuitOpenException.class);
            assertThatThrownBy(() -> crm.ofOptional(Optional.empty())).isInstanceOf(CircuitOpenException.class);
            assertThat(crm.ofOptional(Optional.of("good"))).isEqualTo("good");
            assertThat(shown("circuit-breaker")).containsOnlyKeys("", "good");
        });
    }

    @Test
    void anExpressionThatFailsFailsTheCall() {
        run(() -> {
            assertThatThrownBy(() -> crm.ofShard(new int[0]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Crm.ofShard(int[])")
                    .hasMessageContaining("The expression '#shards[0]' cannot be evaluated");
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> crm.exportOfShard(new int[0])).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(registry.circuitBreakers().get("plain").currentState())
                    .as("it says nothing of the callee")
                    .isEqualTo(CircuitState.CLOSED);
            assertThatThrownBy(() -> crm.ofObject(new Object()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The circuit-breaker key of ")
                    .hasMessageContaining("Crm.ofObject(java.lang.Object)")
                    .hasMessageContaining("'#id' is a java.lang.Object, which has no text of its own");
            assertThat(crm.ofObject(7L)).isEqualTo("7");
            assertThat(crm.ofObjectLater(new Object())).isCompletedExceptionally();
        });
    }

    @Test
    void metersCountKeysAndNoKeyIsATag() {
        run(() -> {
            open("bad");
            assertThat(catchThrowable(() -> crm.find("good", false))).isNull();

            assertThat(keys("open")).isEqualTo(1);
            assertThat(keys("closed")).isEqualTo(1);
            assertThat(keys("half_open")).isZero();
            assertThat(meters.find("resilience.circuitbreaker.keys")
                            .tag("name", "plain")
                            .gauge())
                    .as("no method has a key")
                    .isNull();
            assertThat(meters.getMeters().toString()).doesNotContain("bad", "good");
            assertThat(meters.get("resilience.circuitbreaker.calls")
                            .tags("name", "crm", "outcome", "failure")
                            .functionCounter()
                            .count())
                    .isEqualTo(2);
        });
    }

    @Test
    void theEndpointShowsTheKeysInTroubleFirstAndOneByName() {
        run(() -> {
            for (int i = 0; i < 100; i++) {
                crm.ofOptional(Optional.of("t" + i));
            }
            open("bad");
            act("disable", "t99");
            assertThat(shown("circuit-breaker")).hasSize(20);
            assertThat(List.copyOf(shown("circuit-breaker").keySet()).subList(0, 2))
                    .containsExactlyInAnyOrder("bad", "t99");
            assertThat(shown("circuit-breaker").get("bad"))
                    .containsEntry("state", "OPEN")
                    .containsEntry("reason", "2 calls in a row failed")
                    .doesNotContainKeys("calls", "slowCalls");
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of("circuit-breaker/crm"));
            assertThat(endpoint.policy("circuit-breaker", "crm", null)
                            .get("events")
                            .toString())
                    .contains("crm[bad]");

            assertThat(endpoint.policy("circuit-breaker", "crm", "t7")
                            .get("state")
                            .toString())
                    .contains("state=CLOSED");
            assertThatThrownBy(() -> endpoint.policy("circuit-breaker", "crm", "t101"))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("No key of circuit-breaker policy 'crm' 't101'");
            assertThatThrownBy(() -> endpoint.policy("circuit-breaker", "plain", "t7"))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThatThrownBy(() -> endpoint.policy("retry", "default", "t7"))
                    .isInstanceOf(InvalidEndpointRequestException.class);
        });
    }

    @Test
    void anOperatorActsOnOneKeyOrAll() {
        run(() -> {
            open("bad");
            assertThat(act("reset", "bad").toString()).contains("CLOSED");
            assertThat(catchThrowable(() -> crm.find("bad", false))).isNull();

            act("force-open", "bad");
            assertThatThrownBy(() -> crm.find("bad", false)).isInstanceOf(CircuitOpenException.class);
            assertThat(registry.circuitBreakers().get("crm").currentState()).isEqualTo(CircuitState.CLOSED);

            act("disable", null);
            assertThat(catchThrowable(() -> crm.find("bad", false))).isNull();
            assertThatThrownBy(() -> act("reset", "unknown")).isInstanceOf(InvalidEndpointRequestException.class);
        });
    }

    private Map<String, Object> act(String action, @Nullable String key) {
        return endpoint.act("circuit-breaker", "crm", action, null, null, key, null, null, null, null, null);
    }

    @Test
    void aChangeOfThePolicyReachesAllKeysAndAResetForgetsThem() {
        run(() -> {
            crm.ofOptional(Optional.of("known"));
            registry.reconfigure(
                    dev.resilience.circuitbreaker.CircuitBreaker.class, "crm", Map.of("failure-threshold", 1));
            assertThat(catchThrowable(() -> crm.find("known", true))).isInstanceOf(ConnectException.class);
            assertThatThrownBy(() -> crm.find("known", false)).isInstanceOf(CircuitOpenException.class);

            registry.reset();
            assertThat(shown("circuit-breaker")).isEmpty();
            assertThat(catchThrowable(() -> crm.find("known", false))).isNull();
        });
    }

    @Test
    void thereAreAsManyKeysAsThePolicySays() {
        run(
                () -> {
                    open("bad");
                    for (int i = 0; i < 100; i++) {
                        crm.ofOptional(Optional.of("t" + i));
                    }
                    assertThat(keys("closed") + keys("open")).isEqualTo(5);
                    assertThatThrownBy(() -> crm.find("bad", false)).isInstanceOf(CircuitOpenException.class);
                },
                "resilience.circuit-breaker.crm.max-keys=5");
    }

    @Test
    void halfOfTheKeysOpenTheBreakerOfAll() {
        run(() -> {
            for (int i = 0; i < 10; i++) {
                open("t" + i);
            }
            assertThatThrownBy(() -> crm.find("good", false)).isInstanceOf(CircuitOpenException.class);
            assertThat(endpoint.policy("circuit-breaker", "crm", null)
                            .get("state")
                            .toString())
                    .contains("half of the keys or more (half-of-keys)");
        });
    }

    @Test
    void whatCannotBeAKeyFailsTheStartup() {
        application
                .withBean(Unknown.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("The key expression \"#customer\" of the @CircuitBreaker method ")
                        .hasStackTraceContaining(
                                "Unknown.find(java.lang.String) cannot work: '#customer' is no argument")
                        .hasStackTraceContaining("The key expression \"#tenants\" of the @Bulkhead method ")
                        .hasStackTraceContaining("whose text is not always the same for equal values")
                        .hasStackTraceContaining("is not available here; arguments are: #p0, #tenant"));
    }

    static class Unknown {

        @CircuitBreaker(value = "crm", key = "#customer")
        public String find(String tenant) {
            return tenant;
        }

        @CircuitBreaker(value = "crm", key = "#tenant = 'x'")
        public String assign(String tenant) {
            return tenant;
        }

        @Bulkhead(value = "crm", key = "#tenants")
        public String findAll(String[] tenants) {
            return String.join(",", tenants);
        }
    }

    static class Crm {

        private static String answer(@Nullable String tenant, boolean isDown) throws ConnectException {
            if (isDown) {
                throw new ConnectException("down");
            }
            return String.valueOf(tenant);
        }

        @CircuitBreaker(value = "crm", key = "#tenant")
        public String find(@Nullable String tenant, boolean isDown) throws ConnectException {
            return answer(tenant, isDown);
        }

        @CircuitBreaker(value = "crm", key = "#tenant")
        public CompletableFuture<String> findLater(String tenant, boolean isDown) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            try {
                answer.complete(answer(tenant, isDown));
            } catch (ConnectException down) {
                answer.completeExceptionally(down);
            }
            return answer;
        }

        @CircuitBreaker(value = "crm", key = "#tenant")
        public Mono<String> findMono(String tenant, boolean isDown) {
            return Mono.fromCallable(() -> answer(tenant, isDown));
        }

        @CircuitBreaker(value = "crm", key = "#tenant")
        public Flux<String> findFlux(String tenant, boolean isDown) {
            return Flux.defer(() -> Mono.fromCallable(() -> answer(tenant, isDown)));
        }

        @CircuitBreaker(value = "crm", key = "#tenant")
        public String ofOptional(Optional<String> tenant) {
            return tenant.orElse("none");
        }

        @CircuitBreaker(value = "crm", key = "#shards[0]")
        public String ofShard(int[] shards) {
            return "shard";
        }

        @CircuitBreaker(value = "crm", key = "#id")
        public String ofObject(Object id) {
            return id.toString();
        }

        @CircuitBreaker(value = "crm", key = "#id")
        public CompletableFuture<String> ofObjectLater(Object id) {
            return CompletableFuture.completedFuture(id.toString());
        }

        @CircuitBreaker("plain")
        @Bulkhead(value = "crm", key = "#shards[0]")
        public String exportOfShard(int[] shards) {
            return "shard";
        }

        @Bulkhead(value = "crm", key = "#tenant")
        public CompletableFuture<String> export(String tenant, CompletableFuture<String> end) {
            return end;
        }

        @CircuitBreaker("plain")
        public String plain() {
            return "plain";
        }
    }
}
