package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.RateLimit;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code @RateLimit} in an application, and what operators see of it. */
class RateLimitsTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceMetricsAutoConfiguration.class,
                    ResilienceActuatorAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(ManualTimeSource.class)
            .withPropertyValues(
                    "resilience.rate-limit.partners.permits=2",
                    "resilience.bulkhead.partners.max-concurrent=10",
                    "resilience.rate-limit.customers.permits=1",
                    "management.endpoints.jmx.exposure.include=resilience",
                    "spring.jmx.enabled=true");

    private Partners partners;
    private ResilienceRegistry registry;
    private ResilienceEndpoint endpoint;
    private MeterRegistry meters;
    private ManualTimeSource time;

    private void run(Runnable test, String... properties) {
        application.withPropertyValues(properties).withBean(Partners.class).run(context -> {
            assertThat(context).hasNotFailed();
            partners = context.getBean(Partners.class);
            registry = context.getBean(ResilienceRegistry.class);
            endpoint = context.getBean(ResilienceEndpoint.class);
            meters = context.getBean(MeterRegistry.class);
            time = context.getBean(ManualTimeSource.class);
            test.run();
        });
    }

    /** How a method answers. */
    enum Answer {
        VALUE {
            @Override
            String ask(Partners partners) {
                return partners.value();
            }
        },
        FUTURE {
            @Override
            String ask(Partners partners) throws Throwable {
                try {
                    return partners.future().get();
                } catch (ExecutionException failed) {
                    throw failed.getCause();
                }
            }
        },
        MONO {
            @Override
            String ask(Partners partners) throws Throwable {
                return unwrapped(partners.mono());
            }
        },
        FLUX {
            @Override
            String ask(Partners partners) throws Throwable {
                return unwrapped(partners.flux().next());
            }
        };

        abstract String ask(Partners partners) throws Throwable;

        private static String unwrapped(Mono<String> answer) throws Throwable {
            try {
                return String.valueOf(answer.block());
            } catch (RuntimeException failure) {
                throw Exceptions.unwrap(failure);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void asManyCallsAsPermitsAreLetInWhateverTheMethodReturns(Answer answer) {
        run(() -> {
            assertThat(catchThrowable(() -> answer.ask(partners))).isNull();
            assertThat(catchThrowable(() -> answer.ask(partners))).isNull();
            assertThatThrownBy(() -> answer.ask(partners))
                    .isInstanceOfSatisfying(
                            RateLimitExceededException.class,
                            refused -> assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(500)));
            time.advance(Duration.ofMillis(500));
            assertThat(catchThrowable(() -> answer.ask(partners))).isNull();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aCallWaitsForItsPermitWhateverTheMethodReturns(Answer answer) {
        run(
                () -> {
                    for (int i = 0; i < 2; i++) {
                        assertThat(catchThrowable(() -> answer.ask(partners))).isNull();
                    }
                    var moves = new Thread(() -> {
                        while (registry.rateLimit("partners").calls().total() < 3) {
                            time.advance(Duration.ofMillis(10));
                            Thread.onSpinWait();
                        }
                    });
                    moves.start();
                    assertThat(catchThrowable(() -> answer.ask(partners))).isNull();
                },
                "resilience.rate-limit.partners.max-wait=1s");
    }

    @Test
    void aFallbackAnswersARefusal() {
        run(() -> {
            assertThat(partners.withFallback()).isEqualTo("method");
            assertThat(partners.withFallback()).isEqualTo("method");
            assertThat(partners.withFallback()).isEqualTo("fallback of RateLimitExceededException");
        });
    }

    @Test
    void itStandsOutsideTheBulkheadAndInsideTheIdempotentCall() {
        run(() -> {
            assertThat(partners.order("a")).isEqualTo("ordered a");
            assertThat(partners.order("a")).isEqualTo("ordered a");
            assertThat(partners.order("b")).isEqualTo("ordered b");
            assertThatThrownBy(() -> partners.order("c")).isInstanceOf(RateLimitExceededException.class);
            assertThat(registry.rateLimit("partners").calls().get(RateLimitOutcome.ACCEPTED))
                    .isEqualTo(2);
            assertThat(registry.bulkhead("partners").calls().get(BulkheadOutcome.ACCEPTED))
                    .isEqualTo(2);
        });
    }

    @Test
    void theOrderMayNameIt() {
        run(
                () -> {
                    for (int i = 0; i < 3; i++) {
                        Throwable unused = catchThrowable(() -> partners.order("d" + System.nanoTime()));
                    }
                    assertThat(registry.bulkhead("partners").calls().get(BulkheadOutcome.ACCEPTED))
                            .isEqualTo(3);
                },
                "resilience.order=idempotent,bulkhead,rate-limit,circuit-breaker,retry,time-limit",
                "resilience.rate-limit.partners.burst=2");
    }

    @Test
    void theAnnotationsValuesAreThePolicys() {
        run(() -> {
            RateLimitPolicy policy = registry.rateLimit("Partners.annotated").policy();
            assertThat(policy.permits()).isEqualTo(5);
            assertThat(policy.period()).isEqualTo(Duration.ofMinutes(1));
            assertThat(policy.capacity()).isEqualTo(5);
        });
    }

    @Test
    void theActuatorShowsItAndChangesIt() {
        run(() -> {
            partners.value();
            partners.value();
            Throwable unused = catchThrowable(() -> partners.value());
            Map<String, Object> entry = endpoint.policy("rate-limit", "partners", null);
            assertThat(entry.get("state"))
                    .isEqualTo(Map.of("available", 0L, "burst", 2, "calls", Map.of("accepted", 2L, "rejected", 1L)));
            assertThat(entry.get("policy").toString()).contains("permits=2", "period=PT1S", "burst=2", "store=memory");
            assertThat(entry.get("events").toString()).contains("rejected");
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of("rate-limit/partners"));

            endpoint.act("rate-limit", "partners", null, "{\"permits\": 10}", null, null, null, null, null, null, null);
            assertThat(registry.rateLimit("partners").available()).isEqualTo(8);
            assertThatThrownBy(() -> endpoint.act(
                            "rate-limit",
                            "partners",
                            null,
                            "{\"store\": \"redis\"}",
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            registry.reset();
            assertThat(registry.rateLimit("partners").available()).isEqualTo(10);
        });
    }

    @Test
    void itsMetersAreThereFromTheStart() {
        run(() -> {
            assertThat(meters.get("resilience.ratelimit.available")
                            .tag("name", "partners")
                            .gauge()
                            .value())
                    .isEqualTo(2);
            partners.value();
            partners.mono().block();
            Throwable unused = catchThrowable(() -> partners.value());
            assertThat(count("accepted")).isEqualTo(2);
            assertThat(count("rejected")).isEqualTo(1);
            assertThat(meters.get("resilience.ratelimit.available")
                            .tag("name", "partners")
                            .gauge()
                            .value())
                    .isZero();
            assertThat(meters.get("resilience.ratelimit.available")
                            .tag("name", "customers")
                            .gauge()
                            .value())
                    .isNaN();
        });
    }

    private double count(String outcome) {
        return meters.get("resilience.ratelimit.calls")
                .tags("name", "partners", "outcome", outcome)
                .functionCounter()
                .count();
    }

    @Test
    void eachCustomerHasALimit() {
        run(() -> {
            assertThat(partners.ofCustomer("greedy")).isEqualTo("greedy");
            assertThatThrownBy(() -> partners.ofCustomer("greedy"))
                    .isInstanceOf(RateLimitExceededException.class)
                    .hasMessageNotContaining("greedy");
            for (int i = 0; i < 30; i++) {
                partners.ofCustomer("c" + i);
                time.advance(Duration.ofMillis(1));
            }
            time.advance(Duration.ofSeconds(1));
            partners.ofCustomer("greedy");
            Object state = endpoint.policy("rate-limit", "customers", null).get("state");
            assertThat(state.toString()).contains("keys={greedy={available=0, burst=1}");
            assertThat(endpoint.resilience().get("trouble")).isEqualTo(List.of("rate-limit/customers"));
            assertThat(meters.get("resilience.ratelimit.keys").gauge().value()).isEqualTo(31);
            assertThat(meters.getMeters().toString()).doesNotContain("greedy");
        });
    }

    @Test
    void whatHasNoEffectIsWarnedOf() {
        application
                .withPropertyValues("resilience.rate-limit.partners.on-store-failure=open")
                .withBean(Partners.class)
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all().toString())
                        .contains("resilience.rate-limit.partners.on-store-failure"));
    }

    @Test
    void whatCannotBeFailsTheStartup() {
        application
                .withPropertyValues(
                        "resilience.rate-limit.partners.permits=0",
                        "resilience.rate-limit.customers.period=10",
                        "resilience.rate-limit.other.burst=2000000000",
                        "resilience.rate-limit.other.period=365d",
                        "resilience.rate-limit.centuries.period=200000d")
                .withBean(Partners.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("resilience.rate-limit.partners")
                        .hasStackTraceContaining("must be at least 1")
                        .hasStackTraceContaining("it has no unit")
                        .hasStackTraceContaining("within 30 years")
                        .hasStackTraceContaining("must be at most 10,000 days"));
    }

    static class Partners {

        @RateLimit("partners")
        public String value() {
            return "value";
        }

        @RateLimit("partners")
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("future");
        }

        @RateLimit("partners")
        public Mono<String> mono() {
            return Mono.just("mono");
        }

        @RateLimit("partners")
        public Flux<String> flux() {
            return Flux.just("flux");
        }

        @RateLimit("partners")
        @Fallback("instead")
        public String withFallback() {
            return "method";
        }

        @Nullable
        String instead(Throwable failure) {
            return "fallback of " + failure.getClass().getSimpleName();
        }

        @RateLimit("partners")
        @Bulkhead("partners")
        @Idempotent(key = "#id")
        public String order(String id) {
            return "ordered " + id;
        }

        @RateLimit(permits = 5, period = "1m")
        public String annotated() {
            return "annotated";
        }

        @RateLimit(value = "customers", key = "#customer")
        public String ofCustomer(String customer) {
            return customer;
        }
    }
}
