package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerStatus;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Many subscriptions on several threads, of which many are cancelled at any point: every permit is back in the end. */
class CancellationSoakTests {

    private static final int IN_FLIGHT = 70;

    private final Resilience resilience = Resilience.create();
    private final Scheduler threads = Schedulers.parallel();

    @ParameterizedTest
    @EnumSource
    void ofAFewSubscriptions(BulkheadPolicy.Type bulkhead) throws InterruptedException {
        soak(bulkhead, 5_000);
    }

    @Tag("long")
    @Test
    void ofAMillionSubscriptions() throws InterruptedException {
        soak(BulkheadPolicy.Type.SEMAPHORE, 1_000_000);
    }

    private void soak(BulkheadPolicy.Type type, int subscriptions) throws InterruptedException {
        Bulkhead bulkhead = resilience.bulkhead(
                "soak",
                BulkheadPolicy.builder()
                        .type(type)
                        .maxConcurrent(16)
                        .maxQueue(50)
                        .build());
        CircuitBreaker breaker = resilience.circuitBreaker(
                "soak",
                CircuitBreakerPolicy.builder()
                        .failureThreshold(20)
                        .openDuration(Duration.ofMillis(1))
                        .maxOpenDuration(Duration.ofMillis(1))
                        .build());
        Pipeline pipeline = resilience
                .pipeline("soak")
                .bulkhead(bulkhead)
                .circuitBreaker(breaker)
                .retry(RetryPolicy.builder()
                        .maxAttempts(3)
                        .budget(RetryPolicy.NO_BUDGET)
                        .backoff(Backoff.builder()
                                .baseDelay(Duration.ofMillis(1))
                                .build())
                        .build())
                .timeLimit(
                        TimeLimitPolicy.builder().timeout(Duration.ofMillis(2)).build())
                .build();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Semaphore inFlight = new Semaphore(IN_FLIGHT);
        for (int i = 0; i < subscriptions; i++) {
            assertThat(inFlight.tryAcquire(1, TimeUnit.MINUTES))
                    .as("seed %s", seed)
                    .isTrue();
            subscribe(pipeline, random.nextLong(), inFlight);
        }
        assertThat(inFlight.tryAcquire(IN_FLIGHT, 1, TimeUnit.MINUTES))
                .as("each has ended or was cancelled, seed %s", seed)
                .isTrue();
        await("seed " + seed).untilAsserted(() -> {
            assertThat(bulkhead.running()).as("permits of the bulkhead").isZero();
            assertThat(bulkhead.queued()).as("queue of the bulkhead").isZero();
            CircuitBreakerStatus.Probing probing = breaker.status().probing();
            assertThat(probing == null ? 0 : probing.inFlight())
                    .as("probes of the breaker")
                    .isZero();
        });
    }

    private void subscribe(Pipeline pipeline, long seed, Semaphore inFlight) {
        Random random = new Random(seed);
        int cancelAfter = random.nextInt(12) - 2;
        long cancelAt = random.nextInt(4) == 0 ? random.nextInt(3_000) : -1;
        Publisher<Integer> source = source(random);
        Publisher<Integer> protectedSource = source instanceof Mono<Integer> mono
                ? mono.transformDeferred(ResilienceOperator.of(pipeline))
                : Flux.from(source).transformDeferred(ResilienceOperator.of(pipeline));
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {

            private int got;

            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                if (cancelAt >= 0) {
                    threads.schedule(this::cancel, cancelAt, TimeUnit.MICROSECONDS);
                }
                request(2);
            }

            @Override
            protected void hookOnNext(Integer element) {
                if (++got == cancelAfter) {
                    cancel();
                } else {
                    request(1);
                }
            }

            @Override
            protected void hookOnError(Throwable failure) {}

            @Override
            protected void hookFinally(SignalType how) {
                inFlight.release();
            }
        };
        protectedSource.subscribe(subscriber);
    }

    private Publisher<Integer> source(Random random) {
        Flux<Integer> elements = Flux.range(1, random.nextInt(10));
        return switch (random.nextInt(8)) {
            case 0 -> Mono.just(1);
            case 1 -> Mono.error(new ConnectException("down"));
            case 2 -> Mono.never();
            case 3 -> Mono.fromSupplier(() -> 1).subscribeOn(threads);
            case 4 -> elements;
            case 5 -> elements.publishOn(threads);
            case 6 ->
                elements.concatWith(Mono.error(new ConnectException("broken"))).subscribeOn(threads);
            default -> Flux.concat(elements, Flux.never());
        };
    }
}
