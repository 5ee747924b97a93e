package dev.resilience.spring.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceSpringCloudAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cloud.client.circuitbreaker.NoFallbackAvailableException;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class ReactiveCircuitBreakerFactoryTests {

    private final ApplicationContextRunner application = Applications.plain()
            .withConfiguration(SortedOnce.of(ResilienceSpringCloudAutoConfiguration.class))
            .withPropertyValues(
                    "resilience.circuit-breaker.payments.failure-threshold=1",
                    "resilience.circuit-breaker.payments.half-open.success-threshold=1",
                    "resilience.time-limit.slow.timeout=2s");

    enum Kind {
        MONO {
            @Override
            Publisher<String> run(ReactiveCircuitBreaker breaker, Publisher<String> call) {
                return breaker.run(Mono.from(call), Mono::error);
            }

            @Override
            Publisher<String> run(
                    ReactiveCircuitBreaker breaker, Publisher<String> call, Function<Throwable, String> fallback) {
                return breaker.run(Mono.from(call), thrown -> Mono.just(fallback.apply(thrown)));
            }
        },
        FLUX {
            @Override
            Publisher<String> run(ReactiveCircuitBreaker breaker, Publisher<String> call) {
                return breaker.run(Flux.from(call), Flux::error);
            }

            @Override
            Publisher<String> run(
                    ReactiveCircuitBreaker breaker, Publisher<String> call, Function<Throwable, String> fallback) {
                return breaker.run(Flux.from(call), thrown -> Flux.just(fallback.apply(thrown)));
            }
        };

        abstract Publisher<String> run(ReactiveCircuitBreaker breaker, Publisher<String> call);

        abstract Publisher<String> run(
                ReactiveCircuitBreaker breaker, Publisher<String> call, Function<Throwable, String> fallback);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatSucceedsPassesItsElements(Kind kind) {
        with((breakers, registry, time) -> {
            StepVerifier.create(kind.run(breakers.create("any"), Mono.just("result")))
                    .expectNext("result")
                    .verifyComplete();
            StepVerifier.create(kind.run(breakers.create("any"), Mono.empty())).verifyComplete();
            assertCounted(registry, "any", 2, 0);
        });
    }

    @Test
    void aFluxPassesItsElementsAsTheyCome() {
        with((breakers, registry, time) -> {
            TestPublisher<String> source = TestPublisher.create();
            StepVerifier.create(breakers.create("any").run(source.flux()))
                    .then(() -> source.next("one"))
                    .expectNext("one")
                    .then(() -> source.next("two", "three"))
                    .expectNext("two", "three")
                    .then(source::complete)
                    .verifyComplete();
            assertCounted(registry, "any", 1, 0);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsCountedAndComesAsItIs(Kind kind) {
        with((breakers, registry, time) -> {
            IllegalStateException failure = new IllegalStateException("down");
            StepVerifier.create(kind.run(breakers.create("any"), Mono.error(failure)))
                    .verifyErrorMatches(thrown -> thrown == failure);
            StepVerifier.create(kind.run(breakers.create("any"), Mono.error(failure), Throwable::getMessage))
                    .expectNext("down")
                    .verifyComplete();
            assertCounted(registry, "any", 0, 2);
        });
    }

    @Test
    void aCallWithoutAFallbackFailsAsSpringCloudSays() {
        with((breakers, registry, time) -> {
            StepVerifier.create(breakers.create("any").run(Mono.error(new IllegalStateException("down"))))
                    .verifyError(NoFallbackAvailableException.class);
            StepVerifier.create(breakers.create("any").run(Flux.error(new IllegalStateException("down"))))
                    .verifyError(NoFallbackAvailableException.class);
        });
    }

    @ParameterizedTest
    @EnumSource
    void anOpenCircuitBreakerDoesNotSubscribe(Kind kind) {
        with((breakers, registry, time) -> {
            AtomicInteger subscriptions = new AtomicInteger();
            Mono<String> call = Mono.fromCallable(() -> "result " + subscriptions.incrementAndGet());
            Publisher<String> guarded = kind.run(breakers.create("payments"), call);
            registry.circuitBreaker("payments").open();

            StepVerifier.create(guarded).verifyError(CircuitOpenException.class);
            assertThat(subscriptions).hasValue(0);

            time.advance(Duration.ofMinutes(1));
            StepVerifier.create(guarded).expectNext("result 1").verifyComplete(); // each subscription is a call
            assertThat(registry.circuitBreaker("payments").currentState()).isEqualTo(CircuitState.CLOSED);
        });
    }

    @ParameterizedTest
    @EnumSource
    void cancellingGivesThePermitBackAndCountsNeitherWay(Kind kind) {
        with((breakers, registry, time) -> {
            registry.circuitBreaker("payments").halfOpen(); // one probe at a time
            TestPublisher<String> source = TestPublisher.create();
            StepVerifier.create(kind.run(breakers.create("payments"), source))
                    .then(() -> StepVerifier.create(kind.run(breakers.create("payments"), Mono.just("second")))
                            .verifyError(CircuitOpenException.class))
                    .thenCancel()
                    .verify();

            source.assertCancelled();
            assertCounted(registry, "payments", 0, 0);
            StepVerifier.create(kind.run(breakers.create("payments"), Mono.just("probe")))
                    .expectNext("probe")
                    .verifyComplete();
        });
    }

    @Test
    void aFluxThatIsCancelledAfterAnElementIsASuccess() {
        with((breakers, registry, time) -> {
            StepVerifier.create(
                            breakers.create("any").run(Flux.just("one", "two")).take(1))
                    .expectNext("one")
                    .verifyComplete();
            assertCounted(registry, "any", 1, 0);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aTimeLimitOfTheIdEndsTheCall(Kind kind) {
        with((breakers, registry, time) -> {
            TestPublisher<String> source = TestPublisher.create();
            StepVerifier.create(kind.run(breakers.create("slow"), source))
                    .then(() -> time.advance(Duration.ofSeconds(2)))
                    .verifyError(TimeLimitExceededException.class);
            source.assertCancelled();
            assertCounted(registry, "slow", 0, 1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theContextOfTheSubscriberGoesAlong(Kind kind) {
        with((breakers, registry, time) -> {
            Mono<String> call = Mono.deferContextual(context -> Mono.just(context.<String>get("user")));
            StepVerifier.create(Flux.from(kind.run(breakers.create("any"), call))
                            .contextWrite(context -> context.put("user", "anna")))
                    .expectNext("anna")
                    .verifyComplete();
        });
    }

    private static void assertCounted(ResilienceRegistry registry, String name, int successes, int failures) {
        assertThat(registry.circuitBreaker(name).calls().get(CircuitBreakerOutcome.SUCCESS))
                .isEqualTo(successes);
        assertThat(registry.circuitBreaker(name).calls().get(CircuitBreakerOutcome.FAILURE))
                .isEqualTo(failures);
    }

    private void with(Use use) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(
                    context.getBean(ReactiveCircuitBreakerFactory.class),
                    context.getBean(ResilienceRegistry.class),
                    context.getBean(ManualTimeSource.class));
        });
    }

    private interface Use {

        void with(ReactiveCircuitBreakerFactory<?, ?> breakers, ResilienceRegistry registry, ManualTimeSource time);
    }
}
