package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.context.CallContext;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A subscriber cancels at each point of a call, through each composition of layers: the source is cancelled once, no attempt
 * follows, permits and the budget's retries are back, and the circuit breaker counts no failure for it.
 */
@Timeout(60)
class CancellationPointsTests {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int ENOUGH = 1_000;

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final Bulkhead bulkhead =
            resilience.bulkhead("b", BulkheadPolicy.builder().maxConcurrent(1).build());
    private final CircuitBreaker breaker = resilience.circuitBreaker(
            "c",
            CircuitBreakerPolicy.builder()
                    .failureThreshold(0)
                    .failureRateThreshold(0)
                    .build());
    private final Retry retry = resilience.retry(
            "r",
            RetryPolicy.builder()
                    .maxAttempts(3)
                    .backoff(Backoff.builder()
                            .baseDelay(WAIT)
                            .multiplier(1)
                            .jitter(Jitter.NONE)
                            .build())
                    .build());
    private final TimeLimit limit = resilience.timeLimit(
            "t", TimeLimitPolicy.builder().timeout(Duration.ofMinutes(1)).build());

    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final AtomicInteger answeredByFallback = new AtomicInteger();

    @AfterEach
    void close() {
        resilience.close();
    }

    enum Plan {
        RETRY,
        BREAKER,
        BULKHEAD,
        LIMIT,
        ALL,
        ALL_WITH_RETRY_OUTSIDE;

        boolean retries() {
            return this == RETRY || this == ALL || this == ALL_WITH_RETRY_OUTSIDE;
        }

        boolean hasBreaker() {
            return this == BREAKER || this == ALL || this == ALL_WITH_RETRY_OUTSIDE;
        }
    }

    /** Where the subscriber cancels: by then some attempts have failed, and the one in hand has the given outcome. */
    enum Point {
        ON_SUBSCRIBE(0, null),
        WHEN_THE_SOURCE_SUBSCRIBES(0, CircuitBreakerOutcome.IGNORED),
        WHEN_THE_SOURCE_IS_REQUESTED(0, CircuitBreakerOutcome.IGNORED),
        WHILE_THE_SOURCE_IS_SUBSCRIBED_TO(0, CircuitBreakerOutcome.IGNORED),
        BEFORE_AN_ELEMENT(0, CircuitBreakerOutcome.IGNORED),
        IN_ON_NEXT(0, CircuitBreakerOutcome.SUCCESS),
        IN_ON_NEXT_OF_ONE_BY_ONE(0, CircuitBreakerOutcome.SUCCESS),
        AFTER_AN_ELEMENT(0, CircuitBreakerOutcome.SUCCESS),
        IN_ON_COMPLETE(0, CircuitBreakerOutcome.SUCCESS),
        IN_THE_FIRST_WAIT(1, null),
        WHEN_THE_SOURCE_SUBSCRIBES_AGAIN(1, CircuitBreakerOutcome.IGNORED),
        WHILE_THE_SOURCE_IS_SUBSCRIBED_TO_AGAIN(1, CircuitBreakerOutcome.IGNORED),
        BEFORE_AN_ELEMENT_OF_A_LATER_ATTEMPT(1, CircuitBreakerOutcome.IGNORED),
        IN_ON_NEXT_OF_A_LATER_ATTEMPT(1, CircuitBreakerOutcome.SUCCESS),
        IN_THE_LAST_WAIT(2, null);

        final int failed;
        final @Nullable CircuitBreakerOutcome inHand;

        Point(int failed, @Nullable CircuitBreakerOutcome inHand) {
            this.failed = failed;
            this.inHand = inHand;
        }

        int attempts() {
            return failed + (inHand == null ? 0 : 1);
        }

        boolean isOfStreams() {
            return this == AFTER_AN_ELEMENT;
        }

        boolean is(String kind) {
            return name().startsWith(kind);
        }
    }

    enum By {
        THE_SAME_THREAD {
            @Override
            void run(Runnable action) {
                action.run();
            }
        },
        ANOTHER_THREAD {
            @Override
            void run(Runnable action) {
                CompletableFuture.runAsync(action).join();
            }
        };

        abstract void run(Runnable action);
    }

    static Stream<Arguments> all() {
        return Stream.of(Point.values())
                .flatMap(point -> Stream.of(Plan.values())
                        .filter(plan -> point.failed == 0 || plan.retries())
                        .flatMap(plan -> Stream.of(By.values())
                                .flatMap(by -> Stream.of(true, false)
                                        .filter(isFlux -> isFlux || !point.isOfStreams())
                                        .map(isFlux -> Arguments.of(point, plan, by, isFlux)))));
    }

    @ParameterizedTest
    @MethodSource("all")
    void everythingIsBack(Point point, Plan plan, By by, boolean isFlux) {
        Subscriber subscriber = new Subscriber(point, by);
        long retries = Objects.requireNonNull(retry.budget()).available();

        protect(plan, isFlux, Flux.defer(() -> attempt(point, isFlux, subscriber)))
                .subscribe(subscriber);
        time.advance(WAIT.multipliedBy(attempts.get() == 0 ? 0 : Math.max(0, point.attempts() - 1)));
        if (subscriber.cancels.get() == 0) {
            subscriber.cancel();
        }

        assertThat(retry.budget().available())
                .as("retries of the budget, which counts decisions")
                .isEqualTo(retries - point.failed);
        time.advance(Duration.ofHours(1));
        assertThat(attempts).hasValue(point.attempts());
        boolean sourceHasEnded =
                point.inHand == null || (!isFlux && point.is("IN_ON_NEXT")) || point.is("IN_ON_COMPLETE");
        assertThat(cancelled).as("cancellations of the source").hasValue(sourceHasEnded ? 0 : 1);
        assertThat(bulkhead.running()).as("permits").isZero();
        assertThat(bulkhead.queued()).as("queue").isZero();
        assertThat(answeredByFallback).as("fallbacks").hasValue(0);
        assertThat(subscriber.disturbed).isEmpty();
        assertThat(Thread.interrupted()).as("interrupted").isFalse();
        if (plan.hasBreaker()) {
            assertCounted(point, plan);
        }
    }

    /** With the retry outside, the breaker sees each attempt and otherwise the call as a whole. */
    private void assertCounted(Point point, Plan plan) {
        boolean each = plan == Plan.ALL_WITH_RETRY_OUTSIDE;
        CircuitBreakerOutcome whole =
                point.inHand == null && point.failed > 0 && !each ? CircuitBreakerOutcome.IGNORED : point.inHand;
        assertThat(breaker.calls().get(CircuitBreakerOutcome.FAILURE)).isEqualTo(each ? point.failed : 0);
        assertThat(breaker.calls().total()).isEqualTo((each ? point.failed : 0) + (whole == null ? 0 : 1));
        if (whole != null) {
            assertThat(breaker.calls().get(whole)).as(whole.name()).isEqualTo(1);
        }
    }

    private Publisher<String> protect(Plan plan, boolean isFlux, Flux<String> source) {
        ResilienceOperator<String> operator = ResilienceOperator.of(pipeline(plan));
        return operator.apply(isFlux ? source : Mono.fromDirect(source));
    }

    private Pipeline pipeline(Plan plan) {
        return switch (plan) {
            case RETRY -> Pipeline.of(retry);
            case BREAKER -> Pipeline.of(breaker);
            case BULKHEAD -> Pipeline.of(bulkhead);
            case LIMIT -> Pipeline.of(limit);
            case ALL ->
                resilience
                        .pipeline("p")
                        .fallback(failure -> "later " + answeredByFallback.incrementAndGet())
                        .bulkhead(bulkhead)
                        .circuitBreaker(breaker)
                        .retry(retry)
                        .timeLimit(limit)
                        .build();
            case ALL_WITH_RETRY_OUTSIDE -> Pipeline.of(retry, bulkhead, breaker, limit);
        };
    }

    private Publisher<String> attempt(Point point, boolean isFlux, Subscriber subscriber) {
        if (attempts.incrementAndGet() <= point.failed) {
            return Mono.error(new ConnectException("down"));
        }
        Flux<String> never = Flux.<String>never().doOnCancel(cancelled::incrementAndGet);
        if (point.is("WHEN_THE_SOURCE_SUBSCRIBES")) {
            return never.doOnSubscribe(s -> subscriber.cancel());
        } else if (point.is("WHEN_THE_SOURCE_IS_REQUESTED")) {
            return never.doOnRequest(n -> subscriber.cancel());
        } else if (point.is("WHILE_THE_SOURCE")) {
            return busyUntilCancelled(subscriber);
        } else if (point.is("BEFORE_AN_ELEMENT")) {
            return never;
        } else if (point.is("AFTER_AN_ELEMENT")) {
            return Flux.concat(Mono.just("a"), never);
        }
        return (isFlux ? Flux.just("a", "b", "c") : Flux.just("a")).doOnCancel(cancelled::incrementAndGet);
    }

    /** Works on the thread of the subscription, without a signal, and looks at times whether it is cancelled. */
    private Publisher<String> busyUntilCancelled(Subscriber subscriber) {
        return attempt -> {
            attempt.onSubscribe(new Subscription() {
                @Override
                public void request(long elements) {}

                @Override
                public void cancel() {
                    cancelled.incrementAndGet();
                }
            });
            for (int i = 0; i < ENOUGH && cancelled.get() == 0; i++) {
                if (i == 0) {
                    subscriber.cancel();
                }
            }
            if (cancelled.get() == 0) {
                attempt.onError(new IllegalStateException("nothing told the source"));
            }
        };
    }

    /** Cancels twice, as a subscriber may. */
    private static final class Subscriber implements CoreSubscriber<String> {

        private final Point point;
        private final By by;
        private final AtomicInteger cancels = new AtomicInteger();
        private final List<String> disturbed = new ArrayList<>();
        private @Nullable Subscription subscription;

        Subscriber(Point point, By by) {
            this.point = point;
            this.by = by;
        }

        void cancel() {
            if (cancels.incrementAndGet() > 1) {
                return;
            }
            Subscription cancelling = Objects.requireNonNull(subscription);
            CallContext before = CallContext.current();
            by.run(() -> {
                cancelling.cancel();
                cancelling.cancel();
                cancelling.request(1);
            });
            if (!CallContext.current().equals(before)) {
                disturbed.add("context " + CallContext.current());
            }
            if (by == By.THE_SAME_THREAD && Thread.currentThread().isInterrupted()) {
                disturbed.add("interrupted");
            }
        }

        @Override
        public void onSubscribe(Subscription of) {
            subscription = of;
            if (point == Point.ON_SUBSCRIBE) {
                cancel();
            }
            of.request(point.is("IN_ON_NEXT_OF_ONE_BY_ONE") ? 1 : Long.MAX_VALUE);
        }

        @Override
        public void onNext(String element) {
            if (cancels.get() > 0) {
                disturbed.add("got " + element);
            } else if (point.is("IN_ON_NEXT")) {
                cancel();
            }
        }

        @Override
        public void onError(Throwable failure) {
            disturbed.add("got " + failure);
        }

        /** Reactor tells a Mono's subscriber so even if it cancels when it gets the value. */
        @Override
        public void onComplete() {
            if (point == Point.IN_ON_COMPLETE) {
                cancel();
            } else if (!point.is("IN_ON_NEXT")) {
                disturbed.add("completed");
            }
        }
    }
}
