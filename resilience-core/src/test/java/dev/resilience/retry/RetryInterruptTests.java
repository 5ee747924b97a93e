package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.INTERRUPTED;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.resilience.Resilience;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that is interrupted while it waits for its next attempt, or has been while it made one. */
@Timeout(60)
class RetryInterruptTests {

    private final RetryBench bench = new RetryBench(CallStyle.SYNC);
    private final ConnectException refused = new ConnectException("refused");

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anInterruptEndsTheRetryingWithTheLastFailureAndKeepsTheFlag() {
        Retry retry = bench.retry(policy());

        Throwable seen = catchThrowable(() -> bench.call(retry, fails(refused), interruptedAnd(fails(refused))));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).isSameAs(refused);
        assertThat(bench.attempts).hasSize(2);
        assertCounted(retry, INTERRUPTED);
        assertThat(retry.attempts())
                .as("the retry that was not made is not counted")
                .isEqualTo(1);
    }

    @Test
    void theLastFailureCarriesTheEarlierOnes() {
        ConnectException first = new ConnectException("first");
        Retry retry = bench.retry(policy());

        Throwable seen = catchThrowable(() -> bench.call(retry, fails(first), interruptedAnd(fails(refused))));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen.getSuppressed()).containsExactly(first);
    }

    @Test
    void afterAResultThatAskedForAnotherTryTheResultIsReturned() throws Throwable {
        bench.retryOnResult = "pending"::equals;
        Retry retry = bench.retry(policy());

        Object result = bench.call(retry, interruptedAnd(returns("pending")));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(result).isEqualTo("pending");
        assertCounted(retry, INTERRUPTED);
    }

    @Test
    void anInterruptDoesNotHurtACallThatNeedsNoRetry() throws Throwable {
        assertThat(bench.call(bench.retry(policy()), interruptedAnd(returns("result"))))
                .isEqualTo("result");

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aThreadIsWokenFromARealWait() throws Exception {
        Retry retry = Resilience.create()
                .retry(
                        "system",
                        policy().backoff(RetryBench.fixed(Duration.ofDays(1))).build());
        FutureTask<Boolean> flagged = new FutureTask<>(() -> {
            Throwable seen = catchThrowable(() -> Pipeline.of(retry).invoke(fails(refused)));
            assertThat(seen).isSameAs(refused);
            return Thread.currentThread().isInterrupted();
        });
        Thread caller = new Thread(flagged);
        caller.start();
        await().until(() -> caller.getState() == Thread.State.TIMED_WAITING);

        caller.interrupt();

        assertThat(flagged.get(30, TimeUnit.SECONDS)).isTrue();
        assertCounted(retry, INTERRUPTED);
    }

    @Test
    void anInterruptEndsTheRetryingOnTheSystemsTimeEvenWithoutDelay() {
        Retry retry = Resilience.create()
                .retry(
                        "system",
                        policy().backoff(RetryBench.fixed(Duration.ZERO)).build());
        AtomicInteger attempts = new AtomicInteger();

        Throwable seen = catchThrowable(() -> Pipeline.of(retry).invoke(() -> {
            attempts.incrementAndGet();
            Thread.currentThread().interrupt();
            throw refused;
        }));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).isSameAs(refused);
        assertThat(attempts).hasValue(1);
    }

    private static Invocation interruptedAnd(Invocation end) {
        return () -> {
            Thread.currentThread().interrupt();
            return end.proceed();
        };
    }
}
