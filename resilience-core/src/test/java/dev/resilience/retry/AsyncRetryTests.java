package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What can happen to asynchronous methods alone. */
@Timeout(60)
class AsyncRetryTests {

    private final RetryBench bench = new RetryBench(CallStyle.ASYNC);
    private final Retry retry = bench.retry(policy());
    private final ConnectException refused = new ConnectException("refused");

    @Test
    void aSecondAttemptThatThrowsInPlaceOfReturningAFutureIsRetriedLikeTheFirst() {
        CompletableFuture<@Nullable Object> call = Pipeline.of(retry)
                .invokeAsync(bench.following(
                        returns(CompletableFuture.failedFuture(refused)),
                        fails(refused),
                        returns(CompletableFuture.completedFuture("result"))));

        bench.time.advance(Duration.ofSeconds(2));

        assertThat(call).isCompletedWithValue("result");
        assertCounted(retry, SUCCESS_AFTER_RETRY);
    }

    @Test
    void aLastAttemptThatThrowsEndsTheCall() {
        CompletableFuture<@Nullable Object> call = Pipeline.of(retry)
                .invokeAsync(bench.following(
                        returns(CompletableFuture.failedFuture(refused)), fails(refused), fails(refused)));

        bench.time.advance(Duration.ofSeconds(2));

        assertThat(failureOf(call)).isSameAs(refused);
        assertCounted(retry, EXHAUSTED);
    }

    @Test
    void aSecondAttemptThatReturnsNoFutureEndsTheCall() {
        CompletableFuture<@Nullable Object> call = Pipeline.of(retry)
                .invokeAsync(bench.following(returns(CompletableFuture.failedFuture(refused)), returns(null)));

        bench.time.advance(Duration.ofSeconds(1));

        assertThat(failureOf(call)).isInstanceOf(NullPointerException.class);
        assertCounted(retry, NOT_RETRYABLE);
    }

    @Test
    void theWrapperOfDependentFuturesIsTakenOffBeforeTheFailureIsLookedAt() {
        IOException unknown = new IOException();
        Retry onIo = bench.retry(policy().doNotRetryOn(List.of(CompletionException.class)));
        CompletableFuture<Object> dependent =
                CompletableFuture.failedFuture(unknown).thenApply(result -> result);

        CompletableFuture<Object> call = Pipeline.of(onIo).callAsync(() -> dependent);

        assertThat(failureOf(call)).isSameAs(unknown);
    }

    @Test
    void theCallerIsNotBlockedByTheWait() {
        CompletableFuture<Object> call = Pipeline.of(retry).callAsync(() -> CompletableFuture.failedFuture(refused));

        assertThat(call).isNotDone();
        assertThat(bench.time.elapsed()).isZero();
    }

    @Test
    void theWaitBeginsWhenTheAttemptHasFailed() {
        CompletableFuture<Object> slow = new CompletableFuture<>();
        CompletableFuture<@Nullable Object> call = Pipeline.of(retry)
                .invokeAsync(bench.following(returns(slow), returns(CompletableFuture.completedFuture("result"))));
        bench.time.advance(Duration.ofSeconds(10));

        slow.completeExceptionally(refused);
        bench.time.advance(Duration.ofSeconds(1));

        assertThat(call).isCompletedWithValue("result");
        assertThat(bench.attempts).containsExactly(RetryBench.seconds(0, 11));
    }

    @Test
    void manyAttemptsWithoutDelayDoNotOverflowTheStack() throws Exception {
        assertThat(attemptsWithoutDelay(20_000, TimeSource.system())).isEqualTo(20_000);
    }

    @Test
    void manyAttemptsWithoutDelayDoNotOverflowTheStackOnManualTimeEither() throws Exception {
        assertThat(attemptsWithoutDelay(20_000, bench.time)).isEqualTo(20_000);
    }

    private int attemptsWithoutDelay(int most, TimeSource time) throws Exception {
        RetryPolicy eager = policy().maxAttempts(most)
                .backoff(RetryBench.fixed(Duration.ZERO))
                .build();
        Retry many = RetryBuilder.retry("many", eager).timeSource(time).build();
        AtomicInteger attempts = new AtomicInteger();

        CompletableFuture<Object> call = Pipeline.of(many).callAsync(() -> {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(refused);
        });

        assertThat(call.handle((result, failure) -> failure).get(60, TimeUnit.SECONDS))
                .isSameAs(refused);
        assertCounted(many, EXHAUSTED);
        return attempts.get();
    }

    private static @Nullable Throwable failureOf(CompletableFuture<?> call) {
        return call.handle((result, failure) -> failure).join();
    }
}
