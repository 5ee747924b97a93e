package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.INTERRUPTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.SUCCESS;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.RetryFinished;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Pipeline;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The caller of an asynchronous method gives up. */
@Timeout(60)
class RetryCancellationTests {

    private final RetryBench bench = new RetryBench(CallStyle.ASYNC);
    private final Retry retry = bench.retry(policy());
    private final List<CompletableFuture<Object>> attempts = new ArrayList<>();
    private final List<RetryFinished> finished = new ArrayList<>();
    private CompletableFuture<Object> call;

    @BeforeEach
    void callWhileSomebodyListens() {
        bench.events.add(event -> {
            if (event instanceof RetryFinished end) {
                finished.add(end);
            }
        });
        call = Pipeline.of(retry).callAsync(this::attempt);
    }

    @Nested
    class DuringTheWait {

        @Test
        void noFurtherAttemptIsMade() {
            failLastAttempt();

            call.cancel(true);
            bench.time.advance(Duration.ofHours(1));

            assertThat(call).isCancelled();
            assertThat(attempts).hasSize(1);
            assertThat(retry.attempts()).isZero();
            assertCounted(retry, INTERRUPTED);
        }

        @Test
        void anAnswerOfTheCallersOwnEndsTheRetryingToo() {
            failLastAttempt();

            call.complete("enough");
            bench.time.advance(Duration.ofHours(1));

            assertThat(attempts).hasSize(1);
            assertCounted(retry, INTERRUPTED);
        }

        @Test
        void theEndIsPublishedWhereThereWasARetry() {
            failLastAttempt();
            bench.time.advance(Duration.ofSeconds(1));
            failLastAttempt();

            call.cancel(true);

            assertThat(finished).singleElement().satisfies(end -> {
                assertThat(end.outcome()).isEqualTo(INTERRUPTED);
                assertThat(end.attempts()).isEqualTo(2);
            });
        }
    }

    @Nested
    class DuringAnAttempt {

        @Test
        void theRunningAttemptIsCancelled() {
            call.cancel(true);

            assertThat(attempts)
                    .singleElement()
                    .satisfies(attempt -> assertThat(attempt).isCancelled());
            assertCounted(retry, INTERRUPTED);
        }

        @Test
        void aLaterAttemptIsCancelledToo() {
            failLastAttempt();
            bench.time.advance(Duration.ofSeconds(1));
            assertThat(attempts).hasSize(2);

            call.cancel(true);
            bench.time.advance(Duration.ofHours(1));

            assertThat(attempts).hasSize(2);
            assertThat(attempts.get(1)).isCancelled();
            assertCounted(retry, INTERRUPTED);
        }

        @Test
        void aTimeoutOfTheCallersOwnEndsTheRetryingToo() {
            CompletableFuture<Object> limited = call.orTimeout(5, TimeUnit.MILLISECONDS);

            assertThat(limited).failsWithin(Duration.ofSeconds(30));
            assertThat(catchThrowable(() -> attempts.get(0).get(30, TimeUnit.SECONDS)))
                    .isInstanceOf(CancellationException.class);
            bench.time.advance(Duration.ofHours(1));
            assertThat(attempts).hasSize(1);
            assertCounted(retry, INTERRUPTED);
        }
    }

    @Test
    void aCancellationAfterTheEndChangesNothing() {
        attempts.get(0).complete("result");

        call.cancel(true);

        assertThat(call).isCompletedWithValue("result");
        assertCounted(retry, SUCCESS);
    }

    @Test
    void aMethodThatCancelsItsOwnFutureHasFailed() {
        attempts.get(0).cancel(true);

        assertThat(call).isCompletedExceptionally();
        assertCounted(retry, NOT_RETRYABLE);
    }

    @Test
    void theCallIsCountedOnceAtWhateverMomentItIsCancelled() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            RetryBench raced = new RetryBench(CallStyle.ASYNC);
            Retry counting = raced.retry(policy());
            CompletableFuture<Object> answer = Pipeline.of(counting)
                    .callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
            CountDownLatch start = new CountDownLatch(1);
            Thread canceller = new Thread(() -> {
                start.countDown();
                answer.cancel(true);
            });

            canceller.start();
            start.await();
            raced.time.advance(Duration.ofSeconds(1));
            raced.time.advance(Duration.ofSeconds(1));
            canceller.join();

            assertThat(answer).isDone();
            assertThat(counting.calls().total()).isEqualTo(1);
        }
    }

    private CompletableFuture<Object> attempt() {
        CompletableFuture<Object> attempt = new CompletableFuture<>();
        attempts.add(attempt);
        return attempt;
    }

    private void failLastAttempt() {
        attempts.get(attempts.size() - 1).completeExceptionally(new ConnectException("refused"));
    }
}
