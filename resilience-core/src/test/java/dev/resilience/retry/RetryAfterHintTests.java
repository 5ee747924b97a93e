package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.pipeline.CallStyle;
import dev.resilience.retry.RetryBench.HttpError;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The server's Retry-After, in a policy that would otherwise wait one second. */
@ParameterizedClass
@EnumSource
class RetryAfterHintTests {

    private final RetryBench bench;

    RetryAfterHintTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void aLongerHintIsWaitedFor() throws Throwable {
        assertSecondAttemptAt(20, policy(), new HttpError(503, "20"));
    }

    @Test
    void aShorterHintLeavesTheBackoff() throws Throwable {
        assertSecondAttemptAt(1, policy(), new HttpError(429, "0"));
    }

    @Test
    void aDateIsComparedWithTheWallClock() throws Throwable {
        bench.time.shiftWallClock(Duration.ofSeconds(-10));

        assertSecondAttemptAt(40, policy(), new HttpError(503, "Thu, 01 Jan 2026 00:00:30 GMT"));
    }

    @Test
    void aDateThatHasPassedLeavesTheBackoff() throws Throwable {
        assertSecondAttemptAt(1, policy(), new HttpError(503, "Sun, 06 Nov 1994 08:49:37 GMT"));
    }

    @Test
    void whatCannotBeReadLeavesTheBackoff() throws Throwable {
        assertSecondAttemptAt(1, policy(), new HttpError(503, "soon"));
    }

    @Test
    void anAnswerWithoutHintLeavesTheBackoff() throws Throwable {
        assertSecondAttemptAt(1, policy(), new HttpError(503, null));
    }

    @Test
    void theHintOfACauseCounts() throws Throwable {
        assertSecondAttemptAt(20, policy(), new CompletionException(new HttpError(503, "20")));
    }

    @Test
    void theHintCountsWhereThePolicyItselfSaysWhatToRetry() throws Throwable {
        assertSecondAttemptAt(20, policy().retryOn(List.of(HttpError.class)), new HttpError(500, "20"));
    }

    @Test
    void aHintAsLongAsAllowedIsWaitedFor() throws Throwable {
        assertSecondAttemptAt(60, policy(), new HttpError(503, "60"));
    }

    @Test
    void aLongerOneEndsTheRetryingAtOnce() {
        assertOutOfTime(policy(), new HttpError(503, "61"));
        assertOutOfTime(policy(), new HttpError(503, "99999999999999999999999999"));
        assertOutOfTime(policy().maxRetryAfter(Duration.ofSeconds(5)), new HttpError(503, "6"));
    }

    @Test
    void aHintBeyondTheMaxDurationEndsTheRetryingAtOnce() {
        assertOutOfTime(policy().maxDuration(Duration.ofSeconds(10)), new HttpError(503, "11"));
    }

    @Test
    void aPolicyMayIgnoreHints() throws Throwable {
        assertSecondAttemptAt(1, policy().honorRetryAfter(false), new HttpError(503, "20"));
        assertSecondAttemptAt(1, policy().honorRetryAfter(false), new HttpError(503, "99999"));
    }

    @Test
    void theNextWaitIsThatOfTheBackoffAgain() throws Throwable {
        Retry retry = bench.retry(policy());

        bench.call(retry, fails(new HttpError(503, "20")), fails(new ConnectException()), returns("result"));

        assertThat(bench.attempts).containsExactly(seconds(0, 20, 21));
    }

    @Test
    void aHintIsNotWhatADecorrelatedBackoffGrowsFrom() throws Throwable {
        Duration hint = Duration.ofSeconds(60);
        Backoff decorrelated = new Backoff(
                Backoff.Strategy.EXPONENTIAL, Duration.ofSeconds(1), 2, Duration.ofHours(1), Jitter.DECORRELATED, 0);
        for (int call = 0; call < 20; call++) {
            Duration start = bench.time.elapsed();
            bench.attempts.clear();

            bench.call(
                    bench.retry(policy().backoff(decorrelated)),
                    fails(new HttpError(503, "60")),
                    fails(new ConnectException()),
                    returns("result"));

            assertThat(bench.attempts.get(1)).isEqualTo(start.plus(hint));
            assertThat(bench.attempts.get(2))
                    .isBetween(start.plus(hint), start.plus(hint).plusSeconds(9));
        }
    }

    private void assertSecondAttemptAt(int second, RetryPolicy.Builder policy, Throwable failure) throws Throwable {
        Retry retry = bench.retry(policy);
        Duration start = bench.time.elapsed();
        bench.attempts.clear();

        bench.call(retry, fails(failure), returns("result"));

        assertThat(bench.attempts).containsExactly(start, start.plusSeconds(second));
        assertCounted(retry, SUCCESS_AFTER_RETRY);
    }

    private void assertOutOfTime(RetryPolicy.Builder policy, Throwable failure) {
        Retry retry = bench.retry(policy);

        assertThat(catchThrowable(() -> bench.call(retry, fails(failure)))).isSameAs(failure);

        assertCounted(retry, OUT_OF_TIME);
        assertThat(bench.time.elapsed()).as("no wait in vain").isZero();
    }
}
