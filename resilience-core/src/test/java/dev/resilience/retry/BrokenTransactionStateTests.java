package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CapturedLog;
import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a retry asks of the transaction around it, and what it makes of a bad answer. */
class BrokenTransactionStateTests {

    private final CapturedLog log = CapturedLog.of(Retry.class);
    private final ManualTimeSource time = new ManualTimeSource();
    private final AtomicInteger asked = new AtomicInteger();

    private Retry retry(TransactionState state) {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(2)
                .budget(RetryPolicy.NO_BUDGET)
                .backoff(RetryBench.fixed(Duration.ofSeconds(1)))
                .build();
        return RetryBuilder.retry("orders", policy)
                .timeSource(time)
                .transactions(failure -> {
                    asked.incrementAndGet();
                    return state.whyLost(failure);
                })
                .build();
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void oneThatThrowsIsTakenForNoTransactionAndLoggedOnce() {
        Retry retry = retry(failure -> {
            throw new IllegalStateException("broken");
        });

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Pipeline.of(retry).call(() -> {
                        throw new ConnectException("refused");
                    }))
                    .isInstanceOf(ConnectException.class);
        }

        assertThat(asked).hasValue(2);
        assertThat(retry.calls().get(RetryOutcome.EXHAUSTED)).isEqualTo(2);
        assertThat(log.events())
                .filteredOn(line -> CapturedLog.pairsOf(line).containsValue("callback_failed"))
                .hasSize(1);
    }

    @Test
    void anAsynchronousAttemptThatEndsElsewhereIsNotAskedAbout() throws Exception {
        Retry retry = retry(failure -> "the transaction of another call");
        CompletableFuture<String> stage = new CompletableFuture<>();
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<String> call = Pipeline.of(retry)
                .callAsync(() -> attempts.incrementAndGet() == 1 ? stage : CompletableFuture.completedFuture("done"));

        Thread another = new Thread(() -> stage.completeExceptionally(new ConnectException("refused")));
        another.start();
        another.join();
        time.advance(Duration.ofSeconds(1));

        assertThat(call).isCompletedWithValue("done");
        assertThat(asked).hasValue(0);
    }

    /** A server's thread that made the call in one transaction, and later ends its stage in another one. */
    @Test
    void anAsynchronousAttemptThatEndsLaterOnItsCallersThreadIsNotAskedAbout() {
        Retry retry = retry(failure -> "the transaction of another call");
        CompletableFuture<String> stage = new CompletableFuture<>();
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<String> call = Pipeline.of(retry)
                .callAsync(() -> attempts.incrementAndGet() == 1 ? stage : CompletableFuture.completedFuture("done"));

        stage.completeExceptionally(new ConnectException("refused"));
        time.advance(Duration.ofSeconds(1));

        assertThat(call).isCompletedWithValue("done");
        assertThat(asked).hasValue(0);
    }

    @Test
    void anAsynchronousAttemptThatFailsWhileItsCallerWaitsIsAskedAbout() {
        Retry retry = retry(failure -> "it is marked rollback-only");

        CompletableFuture<Object> call =
                Pipeline.of(retry).callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));

        assertThat(call).isCompletedExceptionally();
        assertThat(asked).hasValue(1);
        RetryBench.assertCounted(retry, RetryOutcome.NOT_RETRYABLE);
    }
}
