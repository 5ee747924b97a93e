package dev.resilience.spring.reactor;

import static dev.resilience.spring.reactor.ProtectedByPipeline.WAIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** What a subscriber does is not part of the call, even if its source emits while it is being subscribed to. */
@Timeout(60)
class SubscribersContextTests {

    private final ProtectedByPipeline app = new ProtectedByPipeline();
    private final Pipeline retried = Pipeline.of(app.retry(true));
    private final List<String> parts = new ArrayList<>();
    private final AtomicInteger attempts = new AtomicInteger();

    @BeforeEach
    void theTestIsNoCall() {
        assertThat(CallContext.current()).isEqualTo(CallContext.NONE);
    }

    /** Notes where a part of the call runs, or of its subscriber, and whether that is inside the call. */
    private void note(String part) {
        parts.add(part + (CallContext.current().attempt() == null ? " outside" : " inside"));
    }

    private <T> ResilienceOperator<T> operator() {
        return ResilienceOperator.of(retried);
    }

    @Test
    void eachSignalOfAStreamComesOutsideOfTheCall() {
        Flux.defer(() -> {
                    note("source");
                    return Flux.just("a", "b").doOnNext(element -> note("source of " + element));
                })
                .transformDeferred(operator())
                .subscribe(new BaseSubscriber<>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        note("onSubscribe");
                        subscription.request(Long.MAX_VALUE);
                    }

                    @Override
                    protected void hookOnNext(String element) {
                        note("onNext " + element);
                    }

                    @Override
                    protected void hookOnComplete() {
                        note("onComplete");
                    }
                });

        assertThat(parts)
                .containsExactly(
                        "onSubscribe outside",
                        "source inside",
                        "source of a inside",
                        "onNext a outside",
                        "source of b inside",
                        "onNext b outside",
                        "onComplete outside");
        assertThat(CallContext.current()).isEqualTo(CallContext.NONE);
    }

    @Test
    void aFailureComesOutsideOfTheCall() {
        Flux.error(new IllegalArgumentException("bad"))
                .transformDeferred(operator())
                .subscribe(element -> {}, failure -> note("onError"));
        assertThat(parts).containsExactly("onError outside");
    }

    /** On a thread of the library's, which has no context of its own. */
    @Test
    void anElementOfALaterAttemptComesOutsideOfTheCall() {
        Flux.defer(() -> {
                    note("attempt");
                    return attempts.getAndIncrement() == 0 ? Flux.error(new ConnectException("down")) : Flux.just("a");
                })
                .transformDeferred(operator())
                .subscribe(element -> note("onNext"));
        app.time.advance(WAIT);

        assertThat(parts).containsExactly("attempt inside", "attempt inside", "onNext outside");
    }

    /** A subscriber that is a part of another call has that one's context. */
    @Test
    void theSubscribersOwnContextIsThere() throws Exception {
        List<Object> found = new ArrayList<>();
        Deadline deadline = Deadline.in(Duration.ofHours(1), app.time);
        deadline.call(() -> Flux.just("a")
                .transformDeferred(operator())
                .subscribe(element -> found.add(List.of(
                        CallContext.current().deadline() == deadline,
                        CallContext.current().attempt() == null))));
        assertThat(found).containsExactly(List.of(true, true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callsOfTheSubscriberRetryThoughTheyMayNotInsideACallThatRetries(boolean isFlux) {
        RetryPolicy suppressed = RetryPolicy.builder()
                .maxAttempts(3)
                .budget(RetryPolicy.NO_BUDGET)
                .nested(RetryPolicy.Nested.SUPPRESS)
                .backoff(Backoff.builder().baseDelay(Duration.ZERO).build())
                .build();
        Pipeline inner = Pipeline.of(app.resilience.retry("inner", suppressed));
        Flux<String> failing = Flux.<String>defer(() -> {
                    attempts.incrementAndGet();
                    return Flux.error(new ConnectException("down"));
                })
                .transformDeferred(ResilienceOperator.of(inner))
                .onErrorComplete();
        Publisher<String> source = this.<String>operator().apply(isFlux ? Flux.just("a", "b") : Mono.just("a"));
        Flux.from(source).flatMap(element -> failing).blockLast();
        assertThat(attempts).hasValue(isFlux ? 6 : 3);
    }

    @Test
    void aCancellationFromInsideOnNextIsNotPartOfTheCall() {
        Flux.just("a", "b")
                .doOnCancel(() -> note("source's doOnCancel"))
                .transformDeferred(operator())
                .doOnCancel(() -> note("subscriber's doOnCancel"))
                .take(1)
                .blockLast();
        assertThat(parts).containsExactly("subscriber's doOnCancel outside", "source's doOnCancel outside");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheSubscriberDoesWithLostElementsIsNotPartOfTheCall(boolean isFlux) {
        BaseSubscriber<String> subscriber = new BaseSubscriber<>() {
            @Override
            public Context currentContext() {
                return Operators.enableOnDiscard(Context.empty(), element -> note("discarded " + element));
            }

            @Override
            protected void hookOnError(Throwable failure) {}
        };
        Publisher<String> source = attempt -> {
            attempt.onSubscribe(Operators.emptySubscription());
            if (isFlux) {
                subscriber.cancel();
            }
            attempt.onNext("a");
            attempt.onError(new IllegalArgumentException("bad"));
        };
        Publisher<String> call = this.<String>operator().apply(isFlux ? source : Mono.fromDirect(source));
        call.subscribe((CoreSubscriber<String>) subscriber);
        assertThat(parts).containsExactly("discarded a outside");
    }
}
