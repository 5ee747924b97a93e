package dev.resilience.spring.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.timelimit.TimeLimit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class CreatedPoliciesTests {

    private final ApplicationContextRunner application = Applications.plain()
            .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withPropertyValues(
                    "resilience.circuit-breaker.partner.failure-threshold=7", "resilience.registry.max-created=2");

    @Test
    void aPolicyIsMadeOfAnotherOneOnce() {
        with((registry, meters) -> {
            CircuitBreaker created = registry.getOrCreate(CircuitBreaker.class, "acme", "partner");

            assertThat(created.name()).isEqualTo("acme");
            assertThat(created.policy())
                    .isEqualTo(registry.circuitBreaker("partner").policy());
            assertThat(created).isNotSameAs(registry.circuitBreaker("partner"));
            assertThat(registry.getOrCreate(CircuitBreaker.class, "acme", "default"))
                    .isSameAs(created);
            assertThat(registry.circuitBreaker("acme")).isSameAs(created);
            assertThat(registry.circuitBreakers()).containsOnlyKeys("acme", "default", "partner");
        });
    }

    @Test
    void aPolicyIsMadeOfOneThatCodeHasBuilt() {
        with((registry, meters) -> {
            BulkheadPolicy policy = BulkheadPolicy.builder().maxConcurrent(3).build();

            assertThat(registry.getOrCreate(Bulkhead.class, "acme", policy).policy())
                    .isEqualTo(policy);
        });
    }

    @Test
    void theBudgetOfARetryHasTheValuesThatTheDefaultBudgetHasNow() {
        with((registry, meters) -> {
            registry.reconfigure(RetryBudget.class, "default", Map.of("max-ratio", 0.5));

            Retry created = registry.getOrCreate(Retry.class, "acme", RetryPolicy.defaults());

            assertThat(created.budget().policy().maxRatio()).isEqualTo(0.5);
        });
    }

    @Test
    void theRulesOfTheTemplateHoldToo() {
        Applications.plain()
                .withBean("rule", Predicate.class, () -> failure -> true)
                .withPropertyValues(
                        "resilience.retry.four.retry-if=rule", "resilience.retry.four.retry-on-result=#result == 0")
                .run(context -> {
                    ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);

                    registry.getOrCreate(Retry.class, "acme", "four");
                    Retry ofCreated = registry.getOrCreate(Retry.class, "acme-north", "acme");

                    assertThat(ofCreated.asksForRetry(0)).isTrue();
                    assertThat(ofCreated.policy().retryIf()).hasToString("rule");
                    assertThat(ofCreated.policy().retryOnResult()).hasToString("#result == 0");
                    registry.remove(Retry.class, "acme");
                    assertThat(registry.getOrCreate(Retry.class, "acme", "five").asksForRetry(0))
                            .isFalse();
                });
    }

    @Test
    void whatIsConfiguredUnderTheNameHolds() {
        with((registry, meters) -> assertThat(registry.getOrCreate(CircuitBreaker.class, "partner", "default"))
                .isSameAs(registry.circuitBreaker("partner")));
    }

    @Test
    void anUnknownTemplateIsAnsweredWithTheNearest() {
        with((registry, meters) -> assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> registry.getOrCreate(CircuitBreaker.class, "acme", "partnr"))
                .withMessage("There is no circuit-breaker policy 'partnr'. Did you mean 'partner'?"));
    }

    @Test
    void theLimitIsNamedWithTheCure() {
        with((registry, meters) -> {
            registry.getOrCreate(CircuitBreaker.class, "one", "default");
            registry.getOrCreate(CircuitBreaker.class, "two", "default");

            assertThatThrownBy(() -> registry.getOrCreate(CircuitBreaker.class, "three", "default"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "circuit-breaker policy 'three'",
                            "code has made 2 of this kind",
                            "'resilience.registry.max-created'",
                            "remove those that are not needed");
            assertThat(registry.circuitBreakers()).doesNotContainKey("three");
            registry.getOrCreate(Bulkhead.class, "three", "default"); // each kind for itself
            registry.remove(CircuitBreaker.class, "one");
            registry.getOrCreate(CircuitBreaker.class, "three", "default");
        });
    }

    @Test
    void thereAreAThousandOfAKindByDefault() {
        Applications.plain().run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            for (int i = 0; i < 1000; i++) {
                registry.getOrCreate(CircuitBreaker.class, "partner-" + i, "default");
            }
            assertThatThrownBy(() -> registry.getOrCreate(CircuitBreaker.class, "one-more", "default"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1000");
        });
    }

    @Test
    void aLimitBelowOneFailsTheStartup() {
        application
                .withPropertyValues("resilience.registry.max-created=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("resilience.registry.max-created"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void aBlankNameIsRefused(String name) {
        with((registry, meters) -> assertThatThrownBy(() -> registry.getOrCreate(Retry.class, name, "default"))
                .isInstanceOf(IllegalArgumentException.class));
    }

    @Test
    void metersComeAndGoWithThePolicy() {
        with((registry, meters) -> {
            Set<String> before = names(meters);
            registry.getOrCreate(CircuitBreaker.class, "acme", "partner");
            registry.getOrCreate(Bulkhead.class, "acme", "default");
            registry.pipeline("acme").run(() -> {});

            assertThat(meters.get("resilience.circuitbreaker.calls")
                            .tags("name", "acme", "outcome", "success")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("resilience.bulkhead.wait")
                            .tags("name", "acme")
                            .timer())
                    .isNotNull();

            registry.remove(CircuitBreaker.class, "acme");
            registry.remove(Bulkhead.class, "acme");
            assertThat(names(meters)).isEqualTo(before);
        });
    }

    @Test
    void aRetryBringsItsBudgetAndTakesItAway() {
        with((registry, meters) -> {
            List<ResilienceEvent> heard = new ArrayList<>();
            registry.onEvent(PolicyAdded.class, heard::add).onEvent(PolicyRemoved.class, heard::add);
            Set<String> before = names(meters);

            Retry retry = registry.getOrCreate(Retry.class, "acme", "four");

            assertThat(retry.budget()).isSameAs(registry.retryBudget("acme"));
            assertThat(meters.get("resilience.retry.budget.available")
                            .tags("name", "acme")
                            .gauge()
                            .value())
                    .isPositive();
            assertThat(registry.remove(Retry.class, "acme")).isTrue();
            assertThat(registry.find(RetryBudget.class, "acme")).isEmpty();
            assertThat(names(meters)).isEqualTo(before);
            assertThat(heard)
                    .extracting(event -> event.type() + " " + event.kind() + "/" + event.name())
                    .containsExactly(
                            "policy-added retry-budget/acme",
                            "policy-added retry/acme",
                            "policy-removed retry-budget/acme",
                            "policy-removed retry/acme");
        });
    }

    @Test
    void aPolicyThatCannotWorkLeavesNothingBehind() {
        with((registry, meters) -> {
            Set<String> before = names(meters);
            RetryPolicy withoutBudget = RetryPolicy.builder().budget("unknown").build();

            assertThatThrownBy(() -> registry.getOrCreate(Retry.class, "acme", withoutBudget))
                    .isInstanceOf(ResilienceConfigurationException.class)
                    .hasMessageContaining("names the budget 'unknown'");

            assertThat(registry.retries()).doesNotContainKey("acme");
            assertThat(names(meters)).isEqualTo(before);
        });
    }

    @Test
    void theWaitsOfARemovedPolicyEnd() {
        with((registry, meters) -> {
            registry.getOrCreate(
                    Bulkhead.class,
                    "acme",
                    BulkheadPolicy.builder().maxConcurrent(1).build());
            Pipeline pipeline = registry.pipeline("acme");
            CompletableFuture<String> first = new CompletableFuture<>();
            pipeline.callAsync(() -> first);
            CompletableFuture<String> waiting = pipeline.callAsync(() -> CompletableFuture.completedFuture("second"));
            assertThat(waiting).isNotDone();

            registry.remove(Bulkhead.class, "acme");

            assertThat(waiting)
                    .failsWithin(10, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .withCauseInstanceOf(BulkheadFullException.class);
            first.complete("first");
        });
    }

    @Test
    void whatIsNotThereIsNotRemoved() {
        with((registry, meters) -> {
            assertThat(registry.remove(Retry.class, "acme")).isFalse();
            registry.getOrCreate(Retry.class, "acme", "default");
            assertThat(registry.remove(Retry.class, "acme")).isTrue();
            assertThat(registry.remove(Retry.class, "acme")).isFalse();
        });
    }

    @Test
    void whatIsConfiguredOrUsedIsNotRemoved() {
        application.run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThatThrownBy(() -> registry.remove(CircuitBreaker.class, "partner"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is configured");
            registry.getOrCreate(CircuitBreaker.class, "acme", "partner");
            context.getBean(LiveRegistry.class).use("circuit-breaker", "acme", "Late.call()");
            assertThatThrownBy(() -> registry.remove(CircuitBreaker.class, "acme"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Late.call()");
        });
    }

    @Test
    void manyThreadsGetOneObject() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            with((registry, meters) -> {
                Set<Object> found = ConcurrentHashMap.newKeySet();
                CountDownLatch start = new CountDownLatch(1);
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    all.add(CompletableFuture.runAsync(
                            () -> {
                                awaited(start);
                                found.add(registry.getOrCreate(TimeLimit.class, "acme", "default"));
                            },
                            threads));
                }
                start.countDown();
                all.forEach(one -> one.orTimeout(10, TimeUnit.SECONDS).join());
                assertThat(found).hasSize(1);
            });
        } finally {
            threads.shutdownNow();
        }
    }

    private static void awaited(CountDownLatch start) {
        try {
            assertThat(start.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Set<String> names(MeterRegistry meters) {
        return meters.getMeters().stream()
                .map(meter -> meter.getId().getName() + meter.getId().getTags())
                .collect(java.util.stream.Collectors.toSet());
    }

    private void with(Use use) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(ResilienceRegistry.class), context.getBean(MeterRegistry.class));
        });
    }

    private interface Use {

        void with(ResilienceRegistry registry, MeterRegistry meters);
    }
}
