package dev.resilience.spring.reactor;

import static dev.resilience.spring.reactor.ProtectedByPipeline.TIMEOUT;
import static dev.resilience.spring.reactor.ProtectedByPipeline.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.TimeLimitExceededException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class SubscriptionsAreCallsTests {

    private final ProtectedByPipeline app = new ProtectedByPipeline();
    private final AtomicInteger attempts = new AtomicInteger();

    /** A publisher of either kind, protected by all layers. */
    enum Kind {
        MONO {
            @Override
            Publisher<String> protect(ProtectedByPipeline app, Supplier<Publisher<String>> attempt) {
                return Mono.defer(() -> Mono.from(attempt.get())).transformDeferred(ResilienceOperator.of(app.all()));
            }
        },
        FLUX {
            @Override
            Publisher<String> protect(ProtectedByPipeline app, Supplier<Publisher<String>> attempt) {
                return Flux.defer(attempt).transformDeferred(ResilienceOperator.of(app.all()));
            }
        };

        abstract Publisher<String> protect(ProtectedByPipeline app, Supplier<Publisher<String>> attempt);
    }

    private Publisher<String> attempt(Publisher<String> of) {
        attempts.incrementAndGet();
        return of;
    }

    @ParameterizedTest
    @EnumSource
    void assemblyCallsNothing(Kind kind) {
        kind.protect(app, () -> attempt(Mono.just("a")));
        assertThat(attempts).hasValue(0);
        assertThat(app.breaker.calls().total()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsHandedThrough(Kind kind) {
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.just("a"))))
                .expectNext("a")
                .verifyComplete();
        assertEnded(1, CircuitBreakerOutcome.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void emptyIsASuccess(Kind kind) {
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.empty()))).verifyComplete();
        assertEnded(1, CircuitBreakerOutcome.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void aFailureIsTriedAgainAndCountsOnceForTheBreaker(Kind kind) {
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.error(new ConnectException("down")))))
                .then(() -> app.time.advance(WAIT.multipliedBy(2)))
                .expectErrorSatisfies(failure ->
                        assertThat(failure).isInstanceOf(ConnectException.class).hasMessage("down"))
                .verify();
        assertEnded(3, CircuitBreakerOutcome.FAILURE);
    }

    @ParameterizedTest
    @EnumSource
    void aPermanentFailureIsNotTriedAgain(Kind kind) {
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.error(new IllegalArgumentException("bad")))))
                .verifyErrorMessage("bad");
        assertThat(attempts).hasValue(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void whatDoesNotAnswerIsCancelledAndTriedAgain(Kind kind) {
        AtomicInteger cancelled = new AtomicInteger();
        Publisher<String> late = Mono.<String>never().doOnCancel(cancelled::incrementAndGet);
        StepVerifier.create(kind.protect(app, () -> attempt(attempts.get() == 0 ? late : Mono.just("second"))))
                .then(() -> app.time.advance(TIMEOUT.plus(WAIT)))
                .expectNext("second")
                .verifyComplete();
        assertThat(cancelled).hasValue(1);
        assertEnded(2, CircuitBreakerOutcome.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource
    void eachSubscriptionHasAttemptsOfItsOwn(Kind kind) {
        Publisher<String> shared = kind.protect(
                app,
                () -> attempt(attempts.get() % 2 == 0 ? Mono.error(new ConnectException("odd")) : Mono.just("even")));
        for (int i = 1; i <= 3; i++) {
            StepVerifier.create(shared)
                    .then(() -> app.time.advance(WAIT))
                    .expectNext("even")
                    .verifyComplete();
            assertThat(attempts).hasValue(2 * i);
        }
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void theThirdOfTwoWaitsAndTheFourthIsRefused(Kind kind) {
        TestPublisher<String> source = TestPublisher.create();
        Publisher<String> shared = kind.protect(app, () -> attempt(source));
        List<String> got = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Flux.from(shared).subscribe(got::add);
        }
        StepVerifier.create(shared).verifyError(BulkheadFullException.class);
        assertThat(attempts).hasValue(2);
        assertThat(app.bulkhead.queued()).isEqualTo(1);
        source.emit("a");
        assertThat(got).contains("a", "a");
        app.time.advance(Duration.ofMinutes(5));
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void cancelledBeforeTheFirstElementCountsForNothing(Kind kind) {
        AtomicInteger cancelled = new AtomicInteger();
        StepVerifier.create(
                        kind.protect(app, () -> attempt(Mono.<String>never().doOnCancel(cancelled::incrementAndGet))))
                .then(() -> assertThat(app.bulkhead.running()).isEqualTo(1))
                .thenCancel()
                .verify();
        assertThat(cancelled).hasValue(1);
        assertEnded(1, CircuitBreakerOutcome.IGNORED);
    }

    @ParameterizedTest
    @EnumSource
    void cancelledInAWaitMakesNoFurtherAttempt(Kind kind) {
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.error(new ConnectException("down")))))
                .then(() -> assertThat(attempts).hasValue(1))
                .thenCancel()
                .verify();
        app.time.advance(Duration.ofMinutes(5));
        assertEnded(1, CircuitBreakerOutcome.IGNORED);
    }

    @ParameterizedTest
    @EnumSource
    void cancelledInTheQueueLeavesIt(Kind kind) {
        List<Disposable> running = IntStream.range(0, 2)
                .mapToObj(i -> Flux.from(kind.protect(app, Mono::never)).subscribe())
                .toList();
        StepVerifier.create(kind.protect(app, () -> attempt(Mono.just("a"))))
                .then(() -> assertThat(app.bulkhead.queued()).isEqualTo(1))
                .thenCancel()
                .verify();
        running.forEach(Disposable::dispose);
        assertThat(attempts).hasValue(0);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void cancelledWhenItIsSubscribedCallsNothing(Kind kind) {
        kind.protect(app, () -> attempt(Mono.just("a"))).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        app.everyPermitIsBack();
        assertThat(app.breaker.calls().total()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 50, 100})
    void aStreamCancelledInsideOnNextHasSucceeded(int last) {
        List<Integer> got = new ArrayList<>();
        Flux.range(1, 100).transformDeferred(ResilienceOperator.of(app.all())).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Integer element) {
                got.add(element);
                if (element == last) {
                    cancel();
                }
            }
        });
        assertThat(got).hasSize(last);
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @Test
    void elementsComeAsTheyAreRequestedOverAllAttempts() {
        TestPublisher<Integer> first = TestPublisher.create();
        TestPublisher<Integer> second = TestPublisher.create();
        List<TestPublisher<Integer>> sources = List.of(first, second);
        Flux<Integer> stream = Flux.defer(() -> sources.get(attempts.getAndIncrement()))
                .transformDeferred(ResilienceOperator.of(app.all(true)));
        StepVerifier.create(stream, 3)
                .then(() -> first.assertMinRequested(3).assertMaxRequested(3).next(1))
                .expectNext(1)
                .then(() -> first.error(new ConnectException("broken")))
                .then(() -> app.time.advance(WAIT))
                .then(() -> second.assertMinRequested(2).assertMaxRequested(2).next(1, 2))
                .expectNext(1, 2)
                .thenRequest(4)
                .then(() -> second.assertMinRequested(4)
                        .assertMaxRequested(4)
                        .next(3)
                        .complete())
                .expectNext(3)
                .verifyComplete();
        app.everyPermitIsBack();
    }

    @Test
    void whatIsRequestedInAWaitIsRequestedOfTheNextAttempt() {
        TestPublisher<Integer> second = TestPublisher.create();
        Flux<Integer> stream = Flux.defer(() ->
                        attempts.getAndIncrement() == 0 ? Flux.<Integer>error(new ConnectException("down")) : second)
                .transformDeferred(ResilienceOperator.of(app.all()));
        StepVerifier.create(stream, 0)
                .thenRequest(2)
                .then(() -> app.time.advance(WAIT))
                .then(() -> second.assertMinRequested(2)
                        .assertMaxRequested(2)
                        .next(1, 2)
                        .complete())
                .expectNext(1, 2)
                .verifyComplete();
    }

    @Test
    void aStreamThatHasEmittedIsNotTriedAgainAndCountsAsAFailure() {
        StepVerifier.create(Flux.concat(Flux.just(1, 2), Flux.error(new ConnectException("broken")))
                        .doOnSubscribe(s -> attempts.incrementAndGet())
                        .transformDeferred(ResilienceOperator.of(app.all())))
                .expectNext(1, 2)
                .verifyErrorMessage("broken");
        assertEnded(1, CircuitBreakerOutcome.FAILURE);
    }

    @Test
    void aStreamThatHasEmittedIsTriedAgainWhereThePolicySaysSo() {
        StepVerifier.create(Flux.concat(Flux.just(1, 2), Flux.error(new ConnectException("broken")))
                        .doOnSubscribe(s -> attempts.incrementAndGet())
                        .transformDeferred(ResilienceOperator.of(app.all(true))))
                .expectNext(1, 2)
                .then(() -> app.time.advance(WAIT))
                .expectNext(1, 2)
                .then(() -> app.time.advance(WAIT))
                .expectNext(1, 2)
                .verifyErrorMessage("broken");
        assertEnded(3, CircuitBreakerOutcome.FAILURE);
    }

    @Test
    void theTimeLimitIsForTheWholeStream() {
        TestPublisher<Integer> source = TestPublisher.create();
        StepVerifier.create(source.flux().transformDeferred(ResilienceOperator.of(app.all())))
                .then(() -> source.next(1))
                .expectNext(1)
                .then(() -> app.time.advance(TIMEOUT.minusMillis(1)))
                .then(() -> source.next(2))
                .expectNext(2)
                .then(() -> app.time.advance(Duration.ofMillis(1)))
                .verifyError(TimeLimitExceededException.class);
        source.assertCancelled();
        app.everyPermitIsBack();
    }

    @Test
    void whatAnAttemptEmitsAfterItsTimeIsDropped() {
        TestPublisher<Integer> deaf = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        Flux<Integer> stream = Flux.defer(() -> attempts.getAndIncrement() == 0 ? deaf : Flux.just(2))
                .transformDeferred(ResilienceOperator.of(app.all()));
        StepVerifier.create(stream)
                .then(() -> app.time.advance(TIMEOUT))
                .then(() -> deaf.next(1))
                .then(() -> app.time.advance(WAIT))
                .expectNext(2)
                .verifyComplete();
        app.everyPermitIsBack();
    }

    @Test
    void aMonoThatFailsAfterItsValueHasFailed() {
        TestPublisher<String> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        StepVerifier.create(Mono.fromDirect(source).transformDeferred(ResilienceOperator.of(app.all())))
                .then(() -> source.next("a", "b").error(new IllegalStateException("no commit")))
                .verifyErrorMessage("no commit");
        app.everyPermitIsBack();
    }

    /** A Mono is wrapped by Reactor, which does not allow it. */
    @Test
    void aStreamThatFailsWithNothingHasFailed() {
        Publisher<String> broken = subscriber -> {
            subscriber.onSubscribe(Operators.emptySubscription());
            subscriber.onError(null);
        };
        StepVerifier.create(Kind.FLUX.protect(app, () -> attempt(broken))).verifyError(NullPointerException.class);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void whatSignalsAfterTheEndIsNotHeard(Kind kind) {
        TestPublisher<String> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        StepVerifier.create(
                        kind == Kind.MONO
                                ? Mono.fromDirect(source).transformDeferred(ResilienceOperator.of(app.all()))
                                : source.flux().transformDeferred(ResilienceOperator.of(app.all())))
                .then(() -> source.next("a").complete().next("b").complete())
                .expectNext("a")
                .verifyComplete();
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void aRequestOfNothingIsRefusedAndLosesNoPermit(long elements) {
        List<Subscription> subscription = new ArrayList<>();
        Flux.<String>never().transformDeferred(ResilienceOperator.of(app.all())).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription of) {
                subscription.add(of);
            }
        });
        subscription.get(0).request(elements);
        assertThat(app.bulkhead.running()).isEqualTo(1);
        subscription.get(0).cancel();
        app.everyPermitIsBack();
    }

    private void assertEnded(int attemptsMade, CircuitBreakerOutcome outcome) {
        assertThat(attempts).hasValue(attemptsMade);
        assertThat(app.counted(outcome)).isEqualTo(1);
        assertThat(app.breaker.calls().total()).isEqualTo(1);
        app.everyPermitIsBack();
    }
}
