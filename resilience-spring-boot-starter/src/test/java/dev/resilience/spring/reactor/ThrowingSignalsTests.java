package dev.resilience.spring.reactor;

import static dev.resilience.spring.reactor.ProtectedByPipeline.TIMEOUT;
import static dev.resilience.spring.reactor.ProtectedByPipeline.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.pipeline.Pipeline;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Code of others throws where no signal may: the call ends all the same, and every permit is back. */
@Timeout(60)
class ThrowingSignalsTests {

    private final ProtectedByPipeline app = new ProtectedByPipeline();
    private final AtomicReference<@Nullable Subscriber<? super String>> attempt = new AtomicReference<>();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final List<String> got = new ArrayList<>();

    @AfterEach
    void resetHooks() {
        Hooks.resetOnNextDropped();
        Hooks.resetOnErrorDropped();
    }

    enum Shape {
        MONO {
            @Override
            Flux<String> protect(ProtectedByPipeline app, Publisher<String> source) {
                return Mono.fromDirect(source)
                        .transformDeferred(ResilienceOperator.<String>of(app.all()))
                        .flux();
            }
        },
        FLUX {
            @Override
            Flux<String> protect(ProtectedByPipeline app, Publisher<String> source) {
                return Flux.from(source).transformDeferred(ResilienceOperator.of(app.all()));
            }
        };

        abstract Flux<String> protect(ProtectedByPipeline app, Publisher<String> source);
    }

    /** A source on which the test signals, and which throws when it is cancelled. */
    private Publisher<String> uncancellable() {
        return subscriber -> {
            attempt.set(subscriber);
            subscriber.onSubscribe(subscription(elements -> {}));
        };
    }

    private Subscription subscription(Consumer<Long> request) {
        return new Subscription() {
            @Override
            public void request(long elements) {
                request.accept(elements);
            }

            @Override
            public void cancel() {
                cancelled.incrementAndGet();
                throw new IllegalStateException("cannot be cancelled");
            }
        };
    }

    private Subscriber<? super String> attempt() {
        return Objects.requireNonNull(attempt.get());
    }

    private BaseSubscriber<String> subscriber(long requested, Consumer<String> onNext) {
        return new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                if (requested > 0) {
                    subscription.request(requested);
                }
            }

            @Override
            protected void hookOnNext(String element) {
                onNext.accept(element);
            }

            @Override
            protected void hookOnError(Throwable failure) {
                got.add(String.valueOf(failure.getMessage()));
            }
        };
    }

    private BaseSubscriber<String> subscriber() {
        return subscriber(Long.MAX_VALUE, got::add);
    }

    @ParameterizedTest
    @EnumSource
    void aSourceThatCannotBeCancelledIsLetGo(Shape shape) {
        BaseSubscriber<String> subscriber = subscriber();
        shape.protect(app, uncancellable()).subscribe(subscriber);
        assertThat(app.bulkhead.running()).isEqualTo(1);

        subscriber.cancel();

        assertThat(cancelled).hasValue(1);
        assertThat(app.counted(CircuitBreakerOutcome.IGNORED)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void aSourceThatCannotBeCancelledWhileItIsSubscribedToIsLetGo(Shape shape) {
        BaseSubscriber<String> subscriber = subscriber();
        shape.protect(app, source -> {
                    source.onSubscribe(subscription(elements -> {}));
                    subscriber.cancel();
                })
                .subscribe(subscriber);

        assertThat(cancelled).hasValue(1);
        app.everyPermitIsBack();
    }

    @Test
    void aStreamThatCannotBeCancelledBehindAnElementIsASuccess() {
        BaseSubscriber<String> subscriber = subscriber();
        Shape.FLUX.protect(app, uncancellable()).subscribe(subscriber);
        attempt().onNext("a");

        subscriber.cancel();

        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptThatTimesOutAndCannotBeCancelledIsFollowedByTheNext(Shape shape) {
        shape.protect(app, uncancellable()).subscribe(subscriber());
        Subscriber<? super String> first = attempt();
        app.time.advance(TIMEOUT.plus(WAIT));

        assertThat(attempt()).isNotSameAs(first);
        attempt().onComplete();
        assertThat(cancelled).hasValue(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void aSubscriptionThatComesTooLateAndCannotBeCancelledIsNoBusinessOfTheSource(Shape shape) {
        BaseSubscriber<String> subscriber = subscriber();
        shape.protect(app, attempt::set).subscribe(subscriber);
        subscriber.cancel();

        attempt().onSubscribe(subscription(elements -> {}));

        assertThat(cancelled).hasValue(1);
        app.everyPermitIsBack();
    }

    @ParameterizedTest
    @EnumSource
    void aSourceOfWhichNothingCanBeRequestedHasFailed(Shape shape) {
        shape.protect(app, attempt::set).subscribe(subscriber());
        try {
            attempt().onSubscribe(subscription(this::refuse)); // later, so that the source has nobody to throw to
        } catch (IllegalArgumentException itsOwn) {
            assertThat(itsOwn).hasMessage("not now");
        }

        assertThat(got).containsExactly("not now");
        assertThat(cancelled).hasValue(1);
        app.everyPermitIsBack();
    }

    @Test
    void aStreamOfWhichNoMoreCanBeRequestedHasFailed() {
        BaseSubscriber<String> subscriber = subscriber(0, got::add);
        Shape.FLUX
                .protect(app, source -> source.onSubscribe(subscription(this::refuse)))
                .subscribe(subscriber);
        try {
            subscriber.request(1);
        } catch (IllegalArgumentException itsOwn) {
            assertThat(itsOwn).hasMessage("not now");
        }

        assertThat(got).containsExactly("not now");
        app.everyPermitIsBack();
    }

    private void refuse(long elements) {
        throw new IllegalArgumentException("not now");
    }

    /** As rule 2.13 of Reactive Streams has it. */
    @Test
    void aSubscriberThatThrowsHasCancelled() {
        Hooks.onErrorDropped(thrown -> got.add(String.valueOf(thrown.getMessage())));
        Subscriber<String> throwing = new Subscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(String element) {
                throw new IllegalStateException("cannot take " + element);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        };
        Shape.FLUX.protect(app, uncancellable()).subscribe(throwing);
        attempt().onNext("a");

        assertThat(cancelled).hasValue(1);
        assertThat(got).contains("cannot take a");
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        app.everyPermitIsBack();
    }

    @Test
    void aSubscriberThatThrowsWhileTheSourceIsSubscribedToIsNoFailureOfTheCallee() {
        Hooks.onErrorDropped(thrown -> {
            throw new IllegalStateException("a hook that throws", thrown);
        });
        Flux<String> call = Shape.FLUX.protect(app, Flux.just("a", "b"));
        call.subscribe(new Subscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(String element) {
                got.add(element);
                throw new IllegalStateException("cannot take " + element);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onComplete() {}
        });

        assertThat(got).containsExactly("a");
        assertThat(app.counted(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        assertThat(app.counted(CircuitBreakerOutcome.FAILURE)).isZero();
        app.everyPermitIsBack();
    }

    @Test
    void aFallbacksStreamThatThrowsWhenItIsSubscribedToIsTheFailureOfTheCall() {
        Publisher<String> throwing = subscriber -> {
            throw new IllegalArgumentException("no fallback");
        };
        Pipeline pipeline =
                app.resilience.pipeline("f").fallback(failure -> throwing).build();
        Flux.<String>error(new ConnectException("down"))
                .transformDeferred(ResilienceOperator.of(pipeline))
                .subscribe(subscriber());

        assertThat(got).containsExactly("no fallback");
    }

    @Test
    void aHookThatThrowsBecauseOfASecondValueEndsTheCall() {
        Hooks.onNextDroppedFail();
        Shape.MONO.protect(app, uncancellable()).subscribe(subscriber());
        attempt().onNext("a");
        try {
            attempt().onNext("b");
        } catch (RuntimeException ofHook) {
            assertThat(ofHook).isNotNull();
        }

        assertThat(got).hasSize(1);
        app.everyPermitIsBack();
    }
}
