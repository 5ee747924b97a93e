package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** A half-open circuit breaker's probe that is a stream is decided by its first element, because it may never end. */
@Timeout(60)
class StreamingProbesTests {

    private static final Duration SLOW = Duration.ofSeconds(2);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(30);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final CircuitBreaker breaker = breaker("b", 2);
    private final TestPublisher<String> source = TestPublisher.create();
    private final List<String> got = new ArrayList<>();

    private CircuitBreaker breaker(String name, int successThreshold) {
        CircuitBreaker probing = resilience.circuitBreaker(
                name,
                CircuitBreakerPolicy.builder()
                        .failureThreshold(1)
                        .failureRateThreshold(0)
                        .slowCallDuration(SLOW)
                        .halfOpen(new HalfOpen(1, successThreshold, PROBE_TIMEOUT))
                        .build());
        probing.halfOpen();
        return probing;
    }

    private Disposable subscribe(Publisher<String> stream) {
        return Flux.from(stream)
                .transformDeferred(ResilienceOperator.of(Pipeline.of(breaker)))
                .subscribe(got::add, failure -> got.add(failure.getClass().getSimpleName()));
    }

    private void assertCounted(long successes, long failures, long ignored) {
        assertThat(List.of(
                        breaker.calls().get(CircuitBreakerOutcome.SUCCESS),
                        breaker.calls().get(CircuitBreakerOutcome.FAILURE),
                        breaker.calls().get(CircuitBreakerOutcome.IGNORED)))
                .as("successes, failures, ignored")
                .containsExactly(successes, failures, ignored);
    }

    @Test
    void endlessStreamsCloseTheBreakerByTheirFirstElements() {
        Flux<String> endless = Flux.concat(Mono.just("a"), Mono.never());
        subscribe(endless);
        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        subscribe(endless);

        assertThat(got).containsExactly("a", "a");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.CLOSED);
        assertCounted(2, 0, 0);
    }

    @Test
    void aSubscriberFindsTheBreakerClosedWithTheElementThatClosedIt() {
        CircuitBreaker one = breaker("one", 1);
        List<CircuitState> states = new ArrayList<>();
        Flux.concat(Mono.just("a"), Mono.never())
                .transformDeferred(ResilienceOperator.of(Pipeline.of(one)))
                .subscribe(element -> states.add(one.currentState()));
        assertThat(states).containsExactly(CircuitState.CLOSED);
    }

    @Test
    void theNextProbeIsLetInBehindTheFirstElementAndNotBefore() {
        subscribe(source);
        subscribe(Flux.just("refused"));
        source.next("a");
        subscribe(Flux.just("let in"));

        assertThat(got).containsExactly(CircuitOpenException.class.getSimpleName(), "a", "let in");
    }

    @Test
    void whatComesBehindTheFirstElementIsNotCounted() {
        subscribe(source);
        source.next("a");
        time.advance(PROBE_TIMEOUT.multipliedBy(3));
        source.error(new ConnectException("down"));

        assertThat(got).containsExactly("a", "ConnectException");
        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(breaker.slowCalls()).isZero();
        assertCounted(1, 0, 0);
    }

    @Test
    void aCancellationBehindTheFirstElementIsNotCountedOnceMore() {
        Disposable subscriber = subscribe(source);
        source.next("a");
        subscriber.dispose();
        assertCounted(1, 0, 0);
    }

    @Test
    void aStreamWithoutAnElementIsDecidedByItsEnd() {
        subscribe(source);
        source.complete();
        assertCounted(1, 0, 0);

        subscribe(Flux.error(new ConnectException("down")));
        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        assertCounted(1, 1, 0);
    }

    @Test
    void aStreamWhoseFirstElementIsSlowIsASlowProbe() {
        subscribe(source);
        time.advance(SLOW.plusMillis(1));
        source.next("a");

        assertThat(breaker.currentState()).isEqualTo(CircuitState.OPEN);
        assertThat(breaker.slowCalls()).isEqualTo(1);
        assertCounted(1, 0, 0);
    }

    @Test
    void aFirstElementAfterTheProbeTimeoutCountsNeitherWay() {
        subscribe(source);
        time.advance(PROBE_TIMEOUT);
        source.next("a");

        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        assertCounted(0, 0, 1);
        source.complete();
        assertCounted(0, 0, 1);
    }

    @Test
    void aStreamThatBeganBeforeTheProbingDecidesNothing() {
        breaker.close();
        subscribe(source);
        breaker.halfOpen();
        source.next("a").complete();

        assertThat(breaker.currentState()).isEqualTo(CircuitState.HALF_OPEN);
        assertCounted(1, 0, 0);
    }

    /** Where the retry is outside, each attempt is a probe of its own. */
    @Test
    void eachOfTwoBreakersIsDecidedByTheAttemptThatItLetIn() {
        CircuitBreaker outer = breaker("outer", 1);
        CircuitBreaker inner = resilience.circuitBreaker(
                "inner",
                CircuitBreakerPolicy.builder()
                        .failureThreshold(0)
                        .failureRateThreshold(0)
                        .halfOpen(new HalfOpen(2, 1, PROBE_TIMEOUT))
                        .ignoreOn(List.of(ConnectException.class))
                        .build());
        inner.halfOpen();
        RetryPolicy again = RetryPolicy.builder()
                .budget(RetryPolicy.NO_BUDGET)
                .backoff(Backoff.builder().baseDelay(Duration.ZERO).build())
                .build();
        Pipeline pipeline = Pipeline.of(outer, resilience.retry("r", again), inner);
        AtomicInteger attempts = new AtomicInteger();
        Flux<String> stream = Flux.defer(() -> attempts.getAndIncrement() == 0
                ? Flux.error(new ConnectException("down"))
                : Flux.concat(Mono.just("a"), Mono.never()));
        stream.transformDeferred(ResilienceOperator.of(pipeline)).subscribe(got::add);

        assertThat(got).containsExactly("a");
        assertThat(inner.calls().get(CircuitBreakerOutcome.IGNORED)).isEqualTo(1);
        assertThat(inner.calls().get(CircuitBreakerOutcome.SUCCESS)).isEqualTo(1);
        assertThat(inner.currentState()).isEqualTo(CircuitState.CLOSED);
        assertThat(outer.currentState()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void aMonoIsDecidedByItsEnd() {
        Mono.fromDirect(source)
                .transformDeferred(ResilienceOperator.<String>of(Pipeline.of(breaker)))
                .subscribe(got::add);
        source.next("a");
        assertCounted(0, 0, 0);
        source.complete();
        assertCounted(1, 0, 0);
    }

    @Test
    void anAnnotatedMethodsStreamIsSuchAProbe() {
        Applications.plain(Feed.class)
                .withPropertyValues("resilience.circuit-breaker.feed.half-open.success-threshold=1")
                .run(context -> {
                    CircuitBreaker ofFeed =
                            context.getBean(ResilienceRegistry.class).circuitBreaker("feed");
                    ofFeed.halfOpen();
                    StepVerifier.create(context.getBean(Feed.class).prices())
                            .expectNext("a")
                            .then(() -> assertThat(ofFeed.currentState()).isEqualTo(CircuitState.CLOSED))
                            .thenCancel()
                            .verify();
                });
    }

    static class Feed {

        @dev.resilience.annotation.CircuitBreaker("feed")
        public Flux<String> prices() {
            return Flux.concat(Mono.just("a"), Mono.never());
        }
    }
}
