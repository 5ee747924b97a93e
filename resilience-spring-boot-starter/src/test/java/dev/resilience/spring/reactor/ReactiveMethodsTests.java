package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class ReactiveMethodsTests {

    private final ApplicationContextRunner runner = Applications.plain(Shop.class)
            .withPropertyValues(
                    "resilience.bulkhead.shop.max-concurrent=1000",
                    "resilience.bulkhead.pool.type=thread-pool",
                    "resilience.time-limit.worker.thread=worker");

    private void with(Applications.Use<Shop> use) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(Shop.class), context.getBean(Callee.class));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry", "breaker", "bulkhead", "pool", "limit", "worker"})
    void everyKindHandsThroughValuesEmptinessAndFailures(String kind) {
        runner.run(context -> {
            Shop shop = context.getBean(Shop.class);
            StepVerifier.create(shop.mono(kind, Mono.just("a"))).expectNext("a").verifyComplete();
            StepVerifier.create(shop.mono(kind, Mono.empty())).verifyComplete();
            StepVerifier.create(shop.mono(kind, Mono.error(new IllegalStateException("bad"))))
                    .verifyErrorMessage("bad");
            StepVerifier.create(shop.mono(kind, null)).verifyError(NullPointerException.class);
            StepVerifier.create(shop.mono(kind, Mono.never()))
                    .thenAwait()
                    .thenCancel()
                    .verify();
            StepVerifier.create(shop.flux(kind, Flux.range(1, 300).map(String::valueOf)))
                    .expectNextCount(300)
                    .verifyComplete();
            StepVerifier.create(shop.flux(kind, Flux.range(1, 300).map(String::valueOf)), 0)
                    .thenRequest(7)
                    .expectNextCount(7)
                    .thenCancel()
                    .verify();
            StepVerifier.create(shop.flux(kind, Flux.empty())).verifyComplete();
            StepVerifier.create(shop.flux(kind, Flux.error(new IllegalStateException("bad"))))
                    .verifyErrorMessage("bad");
            StepVerifier.create(shop.flux(kind, null)).verifyError(NullPointerException.class);
            StepVerifier.create(shop.flux(kind, Flux.never()))
                    .thenAwait()
                    .thenCancel()
                    .verify();
            awaitPermits(context);
        });
    }

    /** A pool's thread may still be on its way out. */
    private static void awaitPermits(ApplicationContext context) {
        context.getBean(ResilienceRegistry.class).bulkheads().values().forEach(bulkhead -> {
            while (bulkhead.running() > 0) {
                Thread.onSpinWait();
            }
        });
    }

    @Test
    void theMethodIsCalledForEachAttemptOfEachSubscriptionAndNotBefore() {
        runner.run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(1);
            Mono<String> answer = context.getBean(Shop.class).eager();
            assertThat(callee.calls()).isZero();
            StepVerifier.create(answer)
                    .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(1)))
                    .expectNext("answer 2")
                    .verifyComplete();
            StepVerifier.create(answer).expectNext("answer 3").verifyComplete();
        });
    }

    @Test
    void whatTheMethodThrowsBeforeItReturnsIsAFailureAsAnyOther() {
        runner.run(context -> {
            context.getBean(Callee.class).failNext(1);
            StepVerifier.create(context.getBean(Shop.class).thrower())
                    .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(1)))
                    .expectNext("answer 2")
                    .verifyComplete();
        });
    }

    @Test
    void aThousandSubscribersAreAThousandCalls() {
        runner.run(context -> {
            Flux<String> shared = context.getBean(Shop.class).shared();
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                shared.subscribe(got::add);
            }
            assertThat(got).hasSize(1000).doesNotHaveDuplicates();
            awaitPermits(context);
        });
    }

    @Test
    void fallbacksAnswerWithAPublisherOrAValue() {
        with((shop, callee) -> {
            callee.failNext(Integer.MAX_VALUE);
            StepVerifier.create(shop.withMono()).expectNext("mono later").verifyComplete();
            StepVerifier.create(shop.withValue()).expectNext("value later").verifyComplete();
            StepVerifier.create(shop.withFlux(), 1)
                    .expectNext("flux")
                    .thenRequest(1)
                    .expectNext("later")
                    .verifyComplete();
            StepVerifier.create(shop.withOne()).expectNext("one later").verifyComplete();
            StepVerifier.create(shop.doomed()).verifyErrorMessage("no fallback either");
        });
    }

    @Test
    void aFallbackIsSubscribedToAndNotOnlyCalled() {
        runner.run(context -> {
            context.getBean(Callee.class).failNext(Integer.MAX_VALUE);
            StepVerifier.create(context.getBean(Shop.class).withBrokenMono()).verifyErrorMessage("broken later");
        });
    }

    @Test
    void aFallbackDoesNotAnswerBehindElements() {
        with((shop, callee) ->
                StepVerifier.create(shop.halfway()).expectNext("first").verifyError(ConnectException.class));
    }

    @Test
    void theAttemptAndTheDeadlineAreInReactorsContext() {
        runner.run(context -> {
            Deadline deadline = Deadline.in(Duration.ofHours(1), context.getBean(ManualTimeSource.class));
            List<String> seen = new ArrayList<>();
            StepVerifier.create(context.getBean(Shop.class)
                            .seeing(seen)
                            .contextWrite(reactor -> ReactiveCallContext.in(reactor, new CallContext(deadline, null))))
                    .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3)))
                    .expectNext("done")
                    .verifyComplete();
            assertThat(seen).containsExactly("1 of PT1H", "2 of PT59M59S", "3 of PT59M57S");
        });
    }

    @Test
    void noAttemptBeginsAfterTheDeadlineInReactorsContext() {
        runner.run(context -> {
            Deadline over = Deadline.in(Duration.ZERO, context.getBean(ManualTimeSource.class));
            StepVerifier.create(context.getBean(Shop.class)
                            .eager()
                            .contextWrite(reactor -> ReactiveCallContext.in(reactor, new CallContext(over, null))))
                    .verifyError(DeadlineExceededException.class);
            assertThat(context.getBean(Callee.class).calls()).isZero();
        });
    }

    @Test
    void innerAspectsRunForEachAttempt() {
        runner.withBean(Inner.class).run(context -> {
            context.getBean(Callee.class).failNext(2);
            StepVerifier.create(context.getBean(Shop.class).eager())
                    .then(() -> context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3)))
                    .expectNext("answer 3")
                    .verifyComplete();
            assertThat(context.getBean(Inner.class).calls).hasValue(3);
        });
    }

    @Aspect
    @Order(Ordered.LOWEST_PRECEDENCE)
    public static class Inner {

        final AtomicInteger calls = new AtomicInteger();

        @Around("execution(* dev.resilience.spring.reactor.ReactiveMethodsTests.Shop.eager())")
        public Object around(ProceedingJoinPoint point) throws Throwable {
            calls.incrementAndGet();
            return point.proceed();
        }
    }

    public static class Shop {

        @Autowired
        Callee callee;

        @Autowired
        ObjectProvider<Shop> self;

        Mono<String> mono(String kind, Mono<String> source) {
            Shop shop = self.getObject();
            return switch (kind) {
                case "retry" -> shop.retryMono(source);
                case "breaker" -> shop.breakerMono(source);
                case "bulkhead" -> shop.bulkheadMono(source);
                case "pool" -> shop.poolMono(source);
                case "limit" -> shop.limitMono(source);
                default -> shop.workerMono(source);
            };
        }

        Flux<String> flux(String kind, Flux<String> source) {
            Shop shop = self.getObject();
            return switch (kind) {
                case "retry" -> shop.retryFlux(source);
                case "breaker" -> shop.breakerFlux(source);
                case "bulkhead" -> shop.bulkheadFlux(source);
                case "pool" -> shop.poolFlux(source);
                case "limit" -> shop.limitFlux(source);
                default -> shop.workerFlux(source);
            };
        }

        @Retryable("default")
        public Mono<String> retryMono(Mono<String> source) {
            return source;
        }

        @Retryable("default")
        public Flux<String> retryFlux(Flux<String> source) {
            return source;
        }

        @CircuitBreaker("default")
        public Mono<String> breakerMono(Mono<String> source) {
            return source;
        }

        @CircuitBreaker("default")
        public Flux<String> breakerFlux(Flux<String> source) {
            return source;
        }

        @Bulkhead("default")
        public Mono<String> bulkheadMono(Mono<String> source) {
            return source;
        }

        @Bulkhead("default")
        public Flux<String> bulkheadFlux(Flux<String> source) {
            return source;
        }

        @Bulkhead("pool")
        public Mono<String> poolMono(Mono<String> source) {
            return source;
        }

        @Bulkhead("pool")
        public Flux<String> poolFlux(Flux<String> source) {
            return source;
        }

        @TimeLimit("default")
        public Mono<String> limitMono(Mono<String> source) {
            return source;
        }

        @TimeLimit("default")
        public Flux<String> limitFlux(Flux<String> source) {
            return source;
        }

        @TimeLimit("worker")
        public Mono<String> workerMono(Mono<String> source) {
            return source;
        }

        @TimeLimit("worker")
        public Flux<String> workerFlux(Flux<String> source) {
            return source;
        }

        @Retryable("default")
        public Mono<String> eager() {
            return Mono.fromFuture(callee.callAsync());
        }

        @Retryable("default")
        public Mono<String> thrower() throws ConnectException {
            return Mono.just(callee.call());
        }

        @Bulkhead("shop")
        public Flux<String> shared() {
            return Flux.from(Mono.fromFuture(callee.callAsync()));
        }

        @Fallback("monoLater")
        public Mono<String> withMono() {
            return eagerly();
        }

        Mono<String> monoLater() {
            return Mono.just("mono later");
        }

        @Fallback("valueLater")
        public Mono<String> withValue() {
            return eagerly();
        }

        String valueLater(ConnectException failure) {
            return "value later";
        }

        @Fallback("fluxLater")
        public Flux<String> withFlux() {
            return eagerly().flux();
        }

        Flux<String> fluxLater() {
            return Flux.just("flux", "later");
        }

        @Fallback("oneLater")
        public Flux<String> withOne() {
            return eagerly().flux();
        }

        String oneLater() {
            return "one later";
        }

        @Fallback("thrown")
        public Mono<String> doomed() {
            return eagerly();
        }

        Mono<String> thrown() {
            throw new IllegalStateException("no fallback either");
        }

        @Fallback("brokenLater")
        public Mono<String> withBrokenMono() {
            return eagerly();
        }

        Mono<String> brokenLater() {
            return Mono.error(new IllegalStateException("broken later"));
        }

        @Fallback("fluxLater")
        public Flux<String> halfway() {
            return Flux.concat(Mono.just("first"), Mono.error(new ConnectException("then broken")));
        }

        @Retryable("default")
        public Mono<String> seeing(List<String> seen) {
            return Mono.deferContextual(reactor -> {
                Attempt attempt = ReactiveCallContext.of(reactor).attempt();
                Deadline deadline = ReactiveCallContext.of(reactor).deadline();
                seen.add((attempt == null ? "?" : attempt.number()) + " of "
                        + (deadline == null ? "?" : deadline.left()));
                return seen.size() < 3 ? Mono.error(new ConnectException("down")) : Mono.just("done");
            });
        }

        private Mono<String> eagerly() {
            return Mono.fromFuture(callee.callAsync());
        }
    }
}
