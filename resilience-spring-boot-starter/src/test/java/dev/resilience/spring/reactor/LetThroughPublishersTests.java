package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** With {@code enforce: 0} a subscription is neither refused nor ended, and counts what would be. */
class LetThroughPublishersTests {

    private final ApplicationContextRunner runner = Applications.plain(Shop.class)
            .withPropertyValues(
                    "resilience.bulkhead.shop.max-concurrent=1",
                    "resilience.bulkhead.shop.max-queue=0",
                    "resilience.bulkhead.shop.enforce=0",
                    "resilience.circuit-breaker.shop.enforce=0",
                    "resilience.time-limit.shop.timeout=10s",
                    "resilience.time-limit.shop.enforce=0");

    @Test
    void aMonoOfAnOpenCircuitBreaker() {
        runner.run(context -> {
            registry(context).circuitBreaker("shop").open();

            StepVerifier.create(shop(context).one(Mono.just("a")))
                    .expectNext("a")
                    .verifyComplete();

            assertThat(registry(context).circuitBreaker("shop").calls().get(CircuitBreakerOutcome.WOULD_REJECT))
                    .isEqualTo(1);
        });
    }

    @Test
    void aFluxThatFindsNoPlace() {
        runner.run(context -> {
            Sinks.Many<String> open = Sinks.many().unicast().onBackpressureBuffer();
            Disposable first = shop(context).many(open.asFlux()).subscribe();

            StepVerifier.create(shop(context).many(Flux.just("a", "b")))
                    .expectNext("a", "b")
                    .verifyComplete();

            assertThat(registry(context).bulkhead("shop").running()).isEqualTo(1);
            assertThat(registry(context).bulkhead("shop").calls().get(BulkheadOutcome.WOULD_REJECT))
                    .isEqualTo(1);
            first.dispose();
            assertThat(registry(context).bulkhead("shop").running()).isZero();
        });
    }

    @Test
    void aLateMonoAndALateFlux() {
        runner.run(context -> {
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            Sinks.One<String> one = Sinks.one();
            StepVerifier.create(shop(context).one(one.asMono()))
                    .then(() -> time.advance(Duration.ofSeconds(11)))
                    .then(() -> one.tryEmitValue("late").orThrow())
                    .expectNext("late")
                    .verifyComplete();
            Sinks.Many<String> many = Sinks.many().unicast().onBackpressureBuffer();
            StepVerifier.create(shop(context).many(many.asFlux()))
                    .then(() -> many.tryEmitNext("early").orThrow())
                    .expectNext("early")
                    .then(() -> time.advance(Duration.ofSeconds(11)))
                    .then(() -> many.tryEmitNext("late").orThrow())
                    .expectNext("late")
                    .then(() -> many.tryEmitComplete().orThrow())
                    .verifyComplete();

            assertThat(registry(context).timeLimit("shop").calls().get(TimeLimitOutcome.WOULD_REJECT))
                    .isEqualTo(2);
            assertThat(registry(context).timeLimit("shop").calls().total()).isEqualTo(2);
        });
    }

    private static Shop shop(ApplicationContext context) {
        return context.getBean(Shop.class);
    }

    private static ResilienceRegistry registry(ApplicationContext context) {
        return context.getBean(ResilienceRegistry.class);
    }

    @Bulkhead("shop")
    @CircuitBreaker("shop")
    @TimeLimit("shop")
    static class Shop {

        Mono<String> one(Mono<String> body) {
            return body;
        }

        Flux<String> many(Flux<String> body) {
            return body;
        }
    }
}
