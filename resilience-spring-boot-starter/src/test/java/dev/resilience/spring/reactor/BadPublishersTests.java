package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.test.StepVerifier;

/** Publishers and subscribers that break the rules, in each of the kinds: a call ends once, and every permit is back. */
@Timeout(60)
class BadPublishersTests {

    private static final int MANY = 1_000;

    private final Resilience resilience =
            Resilience.builder().timeSource(new ManualTimeSource()).build();
    private final Bulkhead semaphore = bulkhead(BulkheadPolicy.Type.SEMAPHORE);
    private final Bulkhead pool = bulkhead(BulkheadPolicy.Type.THREAD_POOL);

    private Bulkhead bulkhead(BulkheadPolicy.Type type) {
        return resilience.bulkhead(
                type.name(),
                BulkheadPolicy.builder()
                        .type(type)
                        .maxConcurrent(2)
                        .maxQueue(MANY)
                        .queueTimeout(Duration.ofHours(1))
                        .build());
    }

    enum Kind {
        RETRY {
            @Override
            Pipeline in(BadPublishersTests app) {
                return app.resilience
                        .pipeline("p")
                        .retry(RetryPolicy.builder().build())
                        .build();
            }
        },
        BREAKER {
            @Override
            Pipeline in(BadPublishersTests app) {
                CircuitBreakerPolicy never = CircuitBreakerPolicy.builder()
                        .failureThreshold(0)
                        .failureRateThreshold(0)
                        .build();
                return app.resilience
                        .pipeline("p")
                        .circuitBreaker(app.resilience.circuitBreaker("c", never))
                        .build();
            }
        },
        SEMAPHORE {
            @Override
            Pipeline in(BadPublishersTests app) {
                return app.resilience.pipeline("p").bulkhead(app.semaphore).build();
            }
        },
        POOL {
            @Override
            Pipeline in(BadPublishersTests app) {
                return app.resilience.pipeline("p").bulkhead(app.pool).build();
            }
        },
        LIMIT {
            @Override
            Pipeline in(BadPublishersTests app) {
                return app.resilience
                        .pipeline("p")
                        .timeLimit(TimeLimitPolicy.builder().build())
                        .build();
            }
        },
        WORKER {
            @Override
            Pipeline in(BadPublishersTests app) {
                return app.resilience
                        .pipeline("p")
                        .timeLimit(TimeLimitPolicy.builder()
                                .thread(TimeLimitPolicy.RunsOn.WORKER)
                                .build())
                        .build();
            }
        };

        abstract Pipeline in(BadPublishersTests app);
    }

    enum Shape {
        MONO {
            @Override
            Publisher<String> protect(Pipeline pipeline, Publisher<String> source) {
                return ResilienceOperator.<String>of(pipeline).apply(Mono.fromDirect(source));
            }
        },
        FLUX {
            @Override
            Publisher<String> protect(Pipeline pipeline, Publisher<String> source) {
                return ResilienceOperator.<String>of(pipeline).apply(source);
            }
        };

        abstract Publisher<String> protect(Pipeline pipeline, Publisher<String> source);
    }

    static Stream<Arguments> all() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(Shape.values()).map(shape -> Arguments.of(kind, shape)));
    }

    /** Other threads are nearly there. */
    private static ConditionFactory soon() {
        return Awaitility.await().pollInterval(Duration.ofMillis(2));
    }

    private void everyPermitIsBack() {
        soon().untilAsserted(() -> assertThat(
                        List.of(semaphore.running(), pool.running(), semaphore.queued(), pool.queued()))
                .containsOnly(0));
    }

    private static Publisher<String> rude(Consumer<Subscriber<? super String>> signals) {
        return signals::accept;
    }

    @ParameterizedTest
    @MethodSource("all")
    void aPublisherThatEndsTwiceHasEndedOnce(Kind kind, Shape shape) {
        Publisher<String> source = rude(subscriber -> {
            subscriber.onSubscribe(new CountedSubscription());
            subscriber.onNext("a");
            subscriber.onComplete();
            subscriber.onNext("b");
            subscriber.onComplete();
            subscriber.onError(new IllegalStateException("too late"));
        });
        Recorder recorder = new Recorder();
        shape.protect(kind.in(this), source).subscribe(recorder);
        recorder.awaitEnd();
        assertThat(recorder.signals).containsExactly("a", "onComplete");
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aPublisherThatFailsTwiceHasFailedOnce(Kind kind, Shape shape) {
        Publisher<String> source = rude(subscriber -> {
            subscriber.onSubscribe(new CountedSubscription());
            subscriber.onError(new IllegalArgumentException("first"));
            subscriber.onError(new IllegalArgumentException("second"));
            subscriber.onComplete();
        });
        Recorder recorder = new Recorder();
        shape.protect(kind.in(this), source).subscribe(recorder);
        recorder.awaitEnd();
        assertThat(recorder.signals).containsExactly("first", "onError");
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aSecondSubscriptionIsCancelled(Kind kind, Shape shape) {
        CountedSubscription second = new CountedSubscription();
        Publisher<String> source = rude(subscriber -> {
            subscriber.onSubscribe(new CountedSubscription());
            subscriber.onSubscribe(second);
            subscriber.onComplete();
        });
        StepVerifier.create(shape.protect(kind.in(this), source)).verifyComplete();
        assertThat(second.cancelled).hasValue(1);
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aPublisherThatThrowsWhenItIsSubscribedToHasFailed(Kind kind, Shape shape) {
        Publisher<String> source = rude(subscriber -> {
            throw new IllegalArgumentException("no");
        });
        StepVerifier.create(shape.protect(kind.in(this), source)).verifyErrorMessage("no");
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aMethodsOwnCancellationIsAFailure(Kind kind, Shape shape) {
        CompletableFuture<String> cancelled = new CompletableFuture<>();
        cancelled.completeExceptionally(new CancellationException("not the subscriber's"));
        StepVerifier.create(shape.protect(kind.in(this), Mono.fromFuture(cancelled, true)))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .isInstanceOf(CancellationException.class)
                        .hasMessage("not the subscriber's"));
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aSubscriberMayCancelInsideOnNext(Kind kind, Shape shape) {
        AtomicInteger got = new AtomicInteger();
        CountDownLatch cancelled = new CountDownLatch(1);
        shape.protect(kind.in(this), Flux.just("a", "b")).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(String element) {
                got.incrementAndGet();
                cancel();
                cancelled.countDown();
            }
        });
        soon().until(() -> cancelled.getCount() == 0);
        everyPermitIsBack();
        assertThat(got).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aRequestOfNothingLosesNoPermit(Kind kind, Shape shape) {
        BaseSubscriber<String> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(0);
                subscription.request(-1);
            }

            @Override
            protected void hookOnError(Throwable failure) {}
        };
        shape.protect(kind.in(this), Mono.just("a")).subscribe(subscriber);
        subscriber.cancel();
        everyPermitIsBack();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aThousandSubscribersAreAThousandCalls(Kind kind, Shape shape) {
        AtomicInteger calls = new AtomicInteger();
        Publisher<String> shared =
                shape.protect(kind.in(this), Mono.fromSupplier(() -> "answer " + calls.incrementAndGet()));
        List<String> answers =
                Flux.range(0, MANY).flatMap(i -> shared, MANY).collectList().block(Duration.ofSeconds(30));
        assertThat(answers).hasSize(MANY).doesNotHaveDuplicates();
        everyPermitIsBack();
    }

    private static final class CountedSubscription implements Subscription {

        final AtomicInteger cancelled = new AtomicInteger();

        @Override
        public void request(long elements) {}

        @Override
        public void cancel() {
            cancelled.incrementAndGet();
        }
    }

    /** Notes elements, messages of failures and how the publisher ended. */
    private static final class Recorder extends BaseSubscriber<String> {

        final Queue<String> signals = new ConcurrentLinkedQueue<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        void awaitEnd() {
            soon().until(() -> ended.getCount() == 0);
        }

        @Override
        protected void hookOnNext(String element) {
            signals.add(element);
        }

        @Override
        protected void hookOnError(Throwable failure) {
            signals.add(String.valueOf(failure.getMessage()));
        }

        @Override
        protected void hookFinally(SignalType how) {
            signals.add(how.toString());
            ended.countDown();
        }
    }
}
