package dev.resilience.spring.reactor;

import static dev.resilience.spring.reactor.ProtectedByPipeline.TIMEOUT;
import static dev.resilience.spring.reactor.ProtectedByPipeline.WAIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** Ends of calls that seldom come, and calls of which so many end at once that a stack would not hold them. */
@Timeout(60)
class StrangeEndsTests {

    private static final int MANY = 50_000;

    private final ProtectedByPipeline app = new ProtectedByPipeline();
    private final AtomicInteger attempts = new AtomicInteger();

    private <T> ResilienceOperator<T> all() {
        return ResilienceOperator.of(app.all());
    }

    /** An operator that takes one value cancels what it has it from. */
    @Test
    void aValueTakenByAFutureIsASuccess() {
        assertThat(Mono.just("a").transformDeferred(all()).toFuture()).isCompletedWithValue("a");
        assertThat(Flux.just("a", "b").transformDeferred(all()).next().toFuture())
                .isCompletedWithValue("a");
        assertThat(Flux.just("a", "b").transformDeferred(all()).blockFirst()).isEqualTo("a");
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(3);
        app.everyPermitIsBack();
    }

    /** The attempt has failed, and its source has not let go of the thread that subscribes. */
    @Test
    void aCallIsOverThatIsCancelledBetweenTheFailureOfItsAttemptAndTheEndOfSubscribing() {
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {};
        Publisher<Integer> source = attempt -> {
            attempts.incrementAndGet();
            attempt.onSubscribe(Operators.emptySubscription());
            attempt.onNext(1);
            attempt.onError(new ConnectException());
            Thread other = new Thread(subscriber::cancel);
            other.start();
            try {
                other.join();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        };

        Flux.from(source)
                .transformDeferred(ResilienceOperator.of(app.all(true)))
                .subscribe(subscriber);
        for (int i = 0; i < 3; i++) {
            app.time.advance(WAIT);
        }

        assertThat(attempts).hasValue(1);
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @Test
    void anEndlessStreamOfWhichSomeAreTakenEnds() {
        Flux<Integer> endless = Flux.<Integer>generate(sink -> sink.next(1)).transformDeferred(all());
        StepVerifier.create(endless.take(3)).expectNextCount(3).verifyComplete();
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @ValueSource(strings = {"onNext", "onComplete", "onError"})
    void aSubscriberThatThrowsLosesNoPermit(String where) {
        Flux<String> source =
                where.equals("onError") ? Flux.error(new IllegalArgumentException("bad")) : Flux.just("a");
        Subscriber<String> throwing = new Subscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            public void onNext(String element) {
                throwIf("onNext");
            }

            @Override
            public void onError(Throwable failure) {
                throwIf("onError");
            }

            @Override
            public void onComplete() {
                throwIf("onComplete");
            }

            private void throwIf(String method) {
                if (method.equals(where)) {
                    throw new IllegalStateException("a subscriber must not throw");
                }
            }
        };
        try {
            source.transformDeferred(all()).subscribe(throwing);
        } catch (IllegalStateException itsOwn) {
            assertThat(itsOwn).hasMessage("a subscriber must not throw");
        }
        app.everyPermitIsBack();
    }

    /** Reactor throws such errors in place of signalling them. */
    @Test
    void anErrorThatReactorThrowsLosesNoPermit() {
        Mono<String> broken = Mono.<String>fromCallable(() -> {
                    attempts.incrementAndGet();
                    throw new StackOverflowError("too deep");
                })
                .transformDeferred(all());
        assertThatThrownBy(broken::block).isInstanceOf(StackOverflowError.class);
        assertThat(attempts).hasValue(1);
        app.everyPermitIsBack();
    }

    @Test
    void anErrorIsNotTriedAgain() {
        Mono<String> broken = Mono.defer(() -> {
            attempts.incrementAndGet();
            return Mono.error(new NoClassDefFoundError("gone"));
        });
        StepVerifier.create(broken.transformDeferred(all())).verifyError(NoClassDefFoundError.class);
        assertThat(attempts).hasValue(1);
        app.everyPermitIsBack();
    }

    @Test
    void aSourceThatSubscribesAfterItsTimeIsCancelledThen() {
        AtomicReference<Subscriber<? super String>> late = new AtomicReference<>();
        AtomicInteger cancelled = new AtomicInteger();
        Publisher<String> source = subscriber -> {
            if (attempts.incrementAndGet() == 1) {
                late.set(subscriber);
            } else {
                Operators.complete(subscriber);
            }
        };
        StepVerifier.create(Flux.from(source).transformDeferred(all()))
                .then(() -> app.time.advance(TIMEOUT.plus(WAIT)))
                .verifyComplete();
        late.get().onSubscribe(new Subscription() {
            @Override
            public void request(long elements) {
                throw new AssertionError("nothing is wanted of it any more");
            }

            @Override
            public void cancel() {
                cancelled.incrementAndGet();
            }
        });
        late.get().onNext("late");
        late.get().onComplete();
        assertThat(cancelled).hasValue(1);
        app.everyPermitIsBack();
    }

    @Test
    void anOldAttemptsEndHasNoEffectOnTheNext() {
        TestPublisher<String> first = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        TestPublisher<String> second = TestPublisher.create();
        Flux<String> stream = Flux.defer(() -> attempts.getAndIncrement() == 0 ? first : second)
                .transformDeferred(all());
        StepVerifier.create(stream)
                .then(() -> app.time.advance(TIMEOUT.plus(WAIT)))
                .then(() -> first.next("old").error(new IllegalStateException("old")))
                .then(() -> second.next("new").complete())
                .expectNext("new")
                .verifyComplete();
        assertThat(attempts).hasValue(2);
        app.everyPermitIsBack();
    }

    /** As a driver does whose connection is closed by the cancellation. */
    @Test
    void aSourceThatFailsBecauseItIsCancelledIsNoFailureOfTheCallee() {
        Flux<String> source = Flux.defer(() -> {
            attempts.incrementAndGet();
            Sinks.Many<String> sink = Sinks.many().unicast().onBackpressureBuffer();
            return Flux.<String>from(subscriber -> subscriber.onSubscribe(new Subscription() {
                @Override
                public void request(long elements) {}

                @Override
                public void cancel() {
                    sink.tryEmitError(new ConnectException("closed"));
                    subscriber.onError(new ConnectException("closed"));
                }
            }));
        });
        StepVerifier.create(source.transformDeferred(all()))
                .thenAwait()
                .thenCancel()
                .verify();
        app.time.advance(Duration.ofHours(1));
        assertThat(attempts).hasValue(1);
        assertThat(app.counted(CircuitBreakerOutcome.FAILURE)).isZero();
        assertThat(app.counted(CircuitBreakerOutcome.IGNORED)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @Test
    void aValueThatIsLostIsDiscardedAsReactorDoes() {
        List<Object> discarded = new ArrayList<>();
        TestPublisher<String> first = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        Mono<String> mono = Mono.defer(
                        () -> attempts.getAndIncrement() == 0 ? Mono.fromDirect(first) : Mono.just("second"))
                .transformDeferred(this.<String>all())
                .doOnDiscard(String.class, discarded::add);
        StepVerifier.create(mono)
                .then(() -> first.next("lost with its attempt"))
                .then(() -> app.time.advance(TIMEOUT.plus(WAIT)))
                .expectNext("second")
                .verifyComplete();
        assertThat(discarded).containsExactly("lost with its attempt");
        app.everyPermitIsBack();
    }

    @Test
    void aValueOfASubscriberThatLeavesIsDiscarded() {
        List<Object> discarded = new ArrayList<>();
        TestPublisher<String> source = TestPublisher.create();
        StepVerifier.create(Mono.fromDirect(source)
                        .transformDeferred(this.<String>all())
                        .doOnDiscard(String.class, discarded::add))
                .then(() -> source.next("a"))
                .thenCancel()
                .verify();
        assertThat(discarded).containsExactly("a");
        app.everyPermitIsBack();
    }

    @Test
    void aValueBeforeAFailureIsDiscarded() {
        List<Object> discarded = new ArrayList<>();
        TestPublisher<String> source = TestPublisher.create();
        StepVerifier.create(Mono.fromDirect(source)
                        .transformDeferred(this.<String>all())
                        .doOnDiscard(String.class, discarded::add))
                .then(() -> source.next("a").error(new IllegalArgumentException("no commit")))
                .verifyErrorMessage("no commit");
        assertThat(discarded).containsExactly("a");
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyAttemptsWithoutAWaitDoNotGrowTheStack(boolean isMono) {
        Pipeline retrying = app.resilience
                .pipeline("many")
                .retry(RetryPolicy.builder()
                        .maxAttempts(MANY)
                        .budget(RetryPolicy.NO_BUDGET)
                        .backoff(Backoff.builder().baseDelay(Duration.ZERO).build())
                        .build())
                .build();
        Mono<String> source = Mono.defer(
                () -> attempts.incrementAndGet() < MANY ? Mono.error(new ConnectException("down")) : Mono.just("last"));
        Publisher<String> call = ResilienceOperator.<String>of(retrying).apply(isMono ? source : source.flux());
        StepVerifier.create(call).expectNext("last").verifyComplete();
        assertThat(attempts).hasValue(MANY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyThatWaitForOnePermitDoNotGrowTheStackWhenItIsFree(boolean isMono) {
        Bulkhead narrow = app.resilience.bulkhead(
                "narrow",
                BulkheadPolicy.builder()
                        .maxConcurrent(1)
                        .maxQueue(MANY)
                        .queueTimeout(Duration.ofHours(1))
                        .build());
        ResilienceOperator<String> operator = ResilienceOperator.of(Pipeline.of(narrow));
        Sinks.One<String> first = Sinks.one();
        List<String> got = new ArrayList<>();
        Mono.from(operator.apply(first.asMono())).subscribe(got::add);
        Publisher<String> next = operator.apply(isMono ? Mono.just("next") : Flux.just("next"));
        for (int i = 0; i < MANY; i++) {
            Flux.from(next).subscribe(got::add);
        }
        assertThat(got).isEmpty();
        first.tryEmitValue("first");
        assertThat(got).hasSize(MANY + 1).contains("first");
        assertThat(narrow.running() + narrow.queued()).isZero();
    }

    @Test
    void aStreamInsideAStreamHasAPermitOfItsOwn() {
        Flux<String> inner = Flux.just("a", "b").transformDeferred(all());
        Flux<String> outer = Flux.just(1, 2)
                .transformDeferred(this.<Integer>all())
                .concatMap(i -> inner.map(element -> i + element));
        StepVerifier.create(outer).expectNext("1a", "1b", "2a", "2b").verifyComplete();
        app.everyPermitIsBack();
    }

    @Test
    void aRequestInsideOnNextIsAnsweredElementByElement() {
        List<Integer> got = new ArrayList<>();
        Flux.range(1, MANY).transformDeferred(this.<Integer>all()).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(1);
            }

            @Override
            protected void hookOnNext(Integer element) {
                got.add(element);
                request(1);
            }
        });
        assertThat(got).hasSize(MANY);
        app.everyPermitIsBack();
    }
}
