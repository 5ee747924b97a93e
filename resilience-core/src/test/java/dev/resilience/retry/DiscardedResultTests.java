package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import dev.resilience.event.CapturedLog;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Results that ask for another attempt: what becomes of them, and of the last one. */
@ParameterizedClass
@EnumSource
class DiscardedResultTests {

    private final RetryBench bench;

    DiscardedResultTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    /** A result that keeps something, and asks for another attempt unless it is good. */
    private static class Response implements Closeable {

        final boolean isGood;
        int closed;

        Response(boolean isGood) {
            this.isGood = isGood;
        }

        @Override
        public void close() throws IOException {
            closed++;
        }
    }

    private final Response first = new Response(false);
    private final Response second = new Response(false);
    private final Response good = new Response(true);

    @BeforeEach
    void badResponsesAskForAnotherTry() {
        bench.retryOnResult = result -> result == null || (result instanceof Response response && !response.isGood);
    }

    @Test
    void isClosedAndTheOneThatIsReturnedIsNot() throws Throwable {
        assertThat(bench.call(bench.retry(policy()), returns(first), returns(null), returns(good)))
                .isSameAs(good);

        assertThat(first.closed).isOne();
        assertThat(good.closed).isZero();
    }

    @Test
    void isClosedBeforeTheNextAttempt() throws Throwable {
        Invocation ofOneConnection = () -> {
            assertThat(first.closed).isOne();
            return good;
        };

        assertThat(bench.call(bench.retry(policy()), returns(first), ofOneConnection))
                .isSameAs(good);
    }

    @Test
    void isClosedWhereTheNextAttemptFails() {
        Retry retry = bench.retry(policy());
        IllegalArgumentException failure = new IllegalArgumentException();

        assertThat(catchThrowable(() -> bench.call(retry, returns(first), fails(failure))))
                .isSameAs(failure);

        assertThat(first.closed).isOne();
        assertCounted(retry, NOT_RETRYABLE);
    }

    @Test
    void isNotClosedIfItIsTheLastOne() throws Throwable {
        Retry retry = bench.retry(policy().maxAttempts(2));

        assertThat(bench.call(retry, returns(first), returns(second))).isSameAs(second);

        assertThat(first.closed).isOne();
        assertThat(second.closed).isZero();
        assertCounted(retry, EXHAUSTED);
    }

    @Test
    void isNotClosedIfThereIsNoTimeForAnotherAttempt() throws Throwable {
        Retry retry = bench.retry(policy().maxDuration(Duration.ofMillis(1)));

        assertThat(bench.call(retry, returns(first))).isSameAs(first);

        assertThat(first.closed).isZero();
        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void hurtsNoCallIfItCannotBeClosedAndIsReportedOnce() throws Throwable {
        Response stuck = new Response(false) {
            @Override
            public void close() throws IOException {
                throw new IOException("stuck");
            }
        };
        Retry retry = bench.retry(policy());
        try (CapturedLog log = CapturedLog.of(Retry.class)) {
            assertThat(bench.call(retry, returns(stuck), returns(stuck), returns(good)))
                    .isSameAs(good);

            assertThat(log.events())
                    .filteredOn(line ->
                            "callback_failed".equals(CapturedLog.pairsOf(line).get("event")))
                    .singleElement()
                    .satisfies(line -> {
                        assertThat(line.getLevel()).isEqualTo(Level.WARN);
                        assertThat(line.getThrowableProxy().getMessage()).isEqualTo("stuck");
                    });
        }
    }

    @Test
    void isClosedIfItsCallerHasGone() {
        CompletableFuture<?> answer =
                Pipeline.of(bench.retry(policy())).invokeAsync(() -> CompletableFuture.completedFuture(first));
        assertThat(first.closed).isZero();

        answer.cancel(true);

        assertThat(first.closed).isOne();
    }

    @Nested
    class WhereTheLastOneIsAFailure {

        private RetryPolicy.Builder strict() {
            return policy().maxAttempts(2).failWhenExhausted(true);
        }

        @Test
        void theCallFailsAndTheLastOneIsClosedToo() {
            Retry retry = bench.retry(strict());

            assertThatExceptionOfType(RetryExhaustedException.class)
                    .isThrownBy(() -> bench.call(retry, returns(first), returns(second)))
                    .withMessage(
                            "Retry 'orders': the result of attempt 2 asks for another one, but no attempts are left")
                    .satisfies(failure -> {
                        assertThat(failure.name()).isEqualTo("orders");
                        assertThat(failure.attempts()).isEqualTo(2);
                    });

            assertThat(first.closed).isOne();
            assertThat(second.closed).isOne();
            assertCounted(retry, EXHAUSTED);
        }

        @Test
        void theCallFailsToIfTimeRunsOut() {
            Retry retry = bench.retry(strict().maxDuration(Duration.ofMillis(1)));

            assertThatExceptionOfType(RetryExhaustedException.class)
                    .isThrownBy(() -> bench.call(retry, returns(null)))
                    .withMessageContaining("but the next one would begin after max-duration");

            assertCounted(retry, OUT_OF_TIME);
        }

        @Test
        void theFailuresBeforeAreSuppressed() {
            ConnectException refused = new ConnectException();

            assertThatExceptionOfType(RetryExhaustedException.class)
                    .isThrownBy(() -> bench.call(bench.retry(strict()), fails(refused), returns(null)))
                    .satisfies(failure -> assertThat(failure.getSuppressed()).containsExactly(refused));
        }

        @Test
        void aFailureIsThrownAsItIs() {
            ConnectException refused = new ConnectException();

            assertThat(catchThrowable(() -> bench.call(bench.retry(strict()), returns(first), fails(refused))))
                    .isSameAs(refused);
        }

        @Test
        void aGoodOneIsReturned() throws Throwable {
            assertThat(bench.call(bench.retry(strict()), returns(first), returns(good)))
                    .isSameAs(good);
        }

        @Test
        void anOuterRetryTriesAgain() throws Throwable {
            Retry outer = RetryBuilder.retry("outer", policy().build())
                    .timeSource(bench.time)
                    .build();
            Retry inner = bench.retry(strict());

            assertThat(bench.call(
                            next -> outer.around(inner.around(next)), returns(first), returns(second), returns(good)))
                    .isSameAs(good);
        }
    }
}
