package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.BUDGET_EXHAUSTED;
import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.INTERRUPTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.counted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.pipeline.CallStyle;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call counts one outcome, once, in whatever style it is made. */
@ParameterizedClass
@EnumSource
class RetryOutcomeTests {

    private final CallStyle style;
    private final RetryBench bench;
    private final ConnectException refused = new ConnectException("refused");

    RetryOutcomeTests(CallStyle style) {
        this.style = style;
        bench = new RetryBench(style);
    }

    @Test
    void successAtOnce() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns("result"))).isEqualTo("result");

        assertCounted(retry, SUCCESS);
        assertThat(retry.attempts()).isZero();
        assertThat(bench.attempts).hasSize(1);
    }

    @Test
    void successAfterARetry() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, fails(refused), returns("result"))).isEqualTo("result");

        assertCounted(retry, SUCCESS_AFTER_RETRY);
        assertThat(retry.attempts()).isEqualTo(1);
        assertThat(bench.attempts).hasSize(2);
    }

    @Test
    void successOfTheLastAttempt() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, fails(refused), fails(refused), returns(null)))
                .isNull();

        assertCounted(retry, SUCCESS_AFTER_RETRY);
        assertThat(retry.attempts()).isEqualTo(2);
    }

    @Test
    void exhaustedWhenAllAttemptsAreMade() {
        Retry retry = bench.retry(policy());

        assertThat(failureOf(retry, 3)).isSameAs(refused);

        assertCounted(retry, EXHAUSTED);
        assertThat(retry.attempts()).isEqualTo(2);
    }

    @Test
    void exhaustedWhereOneAttemptIsAll() {
        Retry retry = bench.retry(policy().maxAttempts(1));

        assertThat(failureOf(retry, 1)).isSameAs(refused);

        assertCounted(retry, EXHAUSTED);
        assertThat(retry.attempts()).isZero();
    }

    @Test
    void notRetryableWhereTheFaultIsPermanentOrUnknown() {
        for (Throwable failure : List.of(new IllegalArgumentException(), new Exception(), new StackOverflowError())) {
            Retry retry = bench.retry(policy());

            assertThat(catchThrowable(() -> bench.call(retry, fails(failure)))).isSameAs(failure);

            assertCounted(retry, NOT_RETRYABLE);
            assertThat(retry.attempts()).isZero();
        }
    }

    @Test
    void notRetryableAfterARetry() {
        Retry retry = bench.retry(policy());
        IllegalArgumentException permanent = new IllegalArgumentException();

        assertThat(catchThrowable(() -> bench.call(retry, fails(refused), fails(permanent))))
                .isSameAs(permanent);

        assertCounted(retry, NOT_RETRYABLE);
        assertThat(retry.attempts()).isEqualTo(1);
    }

    @Test
    void notRetryableEvenWhereNoAttemptWouldBeLeft() {
        Retry retry = bench.retry(policy().maxAttempts(1));

        assertThat(catchThrowable(() -> bench.call(retry, fails(new Exception()))))
                .isNotNull();

        assertCounted(retry, NOT_RETRYABLE);
    }

    @Test
    void budgetExhaustedWhereTheBudgetRefuses() {
        bench.budget = budgetOfOne();
        Retry retry = bench.retry(policy());

        assertThat(failureOf(retry, 2)).isSameAs(refused);

        assertCounted(retry, BUDGET_EXHAUSTED);
        assertThat(retry.attempts()).isEqualTo(1);
        assertThat(bench.time.elapsed())
                .as("the refused retry is not waited for")
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void nobodyTakesTheRetryThatACallIsWaitingFor() {
        RetryBudget budget = budgetOfOne();
        bench.budget = budget;
        Retry retry = bench.retry(policy().maxAttempts(2));
        List<Boolean> taken = new ArrayList<>();
        bench.time.schedule(Duration.ofMillis(500), () -> taken.add(budget.tryAcquire()));

        assertThat(failureOf(retry, 2)).isSameAs(refused);

        assertCounted(retry, EXHAUSTED);
        assertThat(taken).containsExactly(false);
        assertThat(retry.attempts()).isEqualTo(1);
    }

    /** It was counted when it was decided. */
    @Test
    void aCallIsNotRefusedAfterItHasWaitedHoweverLong() {
        RetryBudget budget = budgetOfOne();
        bench.budget = budget;
        Retry retry = bench.retry(policy().maxAttempts(2)
                .backoff(RetryBench.fixed(budget.policy().window().plusSeconds(1))));
        List<Boolean> taken = new ArrayList<>();
        bench.time.schedule(budget.policy().window().plusMillis(600), () -> taken.add(budget.tryAcquire()));

        assertThat(failureOf(retry, 2)).isSameAs(refused);

        assertCounted(retry, EXHAUSTED);
        assertThat(taken).containsExactly(true);
        assertThat(retry.attempts()).isEqualTo(1);
    }

    @Test
    void outOfTimeWhereTheWaitWouldEndTooLate() {
        Retry retry = bench.retry(policy().maxDuration(Duration.ofMillis(1_500)));

        assertThat(failureOf(retry, 2)).isSameAs(refused);

        assertCounted(retry, OUT_OF_TIME);
        assertThat(retry.attempts()).isEqualTo(1);
    }

    @Test
    void interruptedWhereTheMethodIs() {
        Retry retry = bench.retry(policy().retryOn(List.of(InterruptedException.class)));
        InterruptedException interrupted = new InterruptedException();

        assertThat(catchThrowable(() -> bench.call(retry, fails(interrupted)))).isSameAs(interrupted);

        assertThat(Thread.interrupted()).isEqualTo(style == CallStyle.ASYNC_THROWING);
        assertCounted(retry, INTERRUPTED);
        assertThat(retry.attempts()).isZero();
    }

    @Test
    void interruptedWhereTheMethodWrapsIt() {
        for (Throwable wrapper : List.of(
                new IllegalStateException(new InterruptedException()),
                new ConnectException().initCause(new InterruptedException()),
                new ClosedByInterruptException(),
                new InterruptedIOException("interrupted"))) {
            Retry retry = bench.retry(policy());

            assertThat(catchThrowable(() -> bench.call(retry, fails(wrapper)))).isSameAs(wrapper);

            assertCounted(retry, INTERRUPTED);
        }
    }

    @Test
    void everyCallCountsForItself() throws Throwable {
        Retry retry = bench.retry(policy());

        bench.call(retry, returns("result"));
        bench.call(retry, returns("result"));
        bench.call(retry, fails(refused), returns("result"));
        failureOf(retry, 3);

        assertThat(counted(retry)).isEqualTo(Map.of(SUCCESS, 2L, SUCCESS_AFTER_RETRY, 1L, EXHAUSTED, 1L));
        assertThat(retry.calls().total()).isEqualTo(4);
        assertThat(retry.attempts()).isEqualTo(3);
    }

    @Test
    void whatEndsForAnotherReasonTakesNothingFromTheBudget() {
        bench.budget = budgetOfOne();

        failureOf(bench.retry(policy().maxAttempts(1)), 1);
        failureOf(bench.retry(policy().maxDuration(Duration.ofMillis(500))), 1);
        failureOf(bench.retry(policy().doNotRetryOn(List.of(ConnectException.class))), 1);

        assertThat(bench.budget.available()).isEqualTo(1);
    }

    private Throwable failureOf(Retry retry, int attempts) {
        bench.attempts.clear();
        Throwable failure =
                catchThrowable(() -> bench.call(retry, fails(refused), fails(refused), fails(refused), fails(refused)));
        assertThat(bench.attempts).hasSize(attempts);
        return failure;
    }

    /** One retry in any second, the second's two ends included. */
    private RetryBudget budgetOfOne() {
        RetryBudgetPolicy one = RetryBudgetPolicy.builder()
                .maxRatio(0)
                .minRetriesPerSecond(1)
                .window(Duration.ofSeconds(1))
                .build();
        return new RetryBudget("shared", one, bench.time);
    }
}
