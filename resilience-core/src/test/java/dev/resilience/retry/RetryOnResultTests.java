package dev.resilience.retry;

import static dev.resilience.event.RetryOutcome.BUDGET_EXHAUSTED;
import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.OUT_OF_TIME;
import static dev.resilience.event.RetryOutcome.SUCCESS;
import static dev.resilience.event.RetryOutcome.SUCCESS_AFTER_RETRY;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static dev.resilience.retry.RetryBench.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Sneaky;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class RetryOnResultTests {

    private final RetryBench bench;
    private final List<Object> asked = new ArrayList<>();

    RetryOnResultTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @BeforeEach
    void pendingResultsAskForAnotherTry() {
        bench.retryOnResult = result -> {
            asked.add(String.valueOf(result));
            return String.valueOf(result).startsWith("pending");
        };
    }

    @Test
    void aResultThatAsksForItIsTriedAgainAfterTheBackoff() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns("pending"), returns("done"))).isEqualTo("done");

        assertThat(bench.attempts).containsExactly(seconds(0, 1));
        assertCounted(retry, SUCCESS_AFTER_RETRY);
    }

    @Test
    void anotherResultIsReturned() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns("done"))).isEqualTo("done");

        assertCounted(retry, SUCCESS);
    }

    @Test
    void noResultIsAResultToo() throws Throwable {
        bench.retryOnResult = result -> result == null;
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns(null), returns("done"))).isEqualTo("done");
    }

    @Test
    void theLastResultIsReturnedWhenAttemptsRunOut() throws Throwable {
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns("pending 1"), returns("pending 2"), returns("pending 3")))
                .isEqualTo("pending 3");

        assertCounted(retry, EXHAUSTED);
    }

    @Test
    void theLastResultIsReturnedWhenTimeRunsOut() throws Throwable {
        Retry retry = bench.retry(policy().maxDuration(Duration.ofMillis(1_500)));

        assertThat(bench.call(retry, returns("pending 1"), returns("pending 2")))
                .isEqualTo("pending 2");

        assertCounted(retry, OUT_OF_TIME);
    }

    @Test
    void theLastResultIsReturnedWhenTheBudgetRunsOut() throws Throwable {
        Duration tooShortForARetry = Duration.ofMillis(10);
        bench.budget = new RetryBudget("tiny", new RetryBudgetPolicy(0, tooShortForARetry, 1), bench.time);
        Retry retry = bench.retry(policy());

        assertThat(bench.call(retry, returns("pending"))).isEqualTo("pending");

        assertCounted(retry, BUDGET_EXHAUSTED);
    }

    @Test
    void failuresAndResultsMayFollowEachOther() throws Throwable {
        Retry retry = bench.retry(policy());
        ConnectException refused = new ConnectException();

        assertThat(bench.call(retry, fails(refused), returns("pending"), returns("done")))
                .isEqualTo("done");
        assertThat(catchThrowable(() -> bench.call(retry, returns("pending"), returns("pending"), fails(refused))))
                .isSameAs(refused)
                .hasNoSuppressedExceptions();
    }

    @Test
    void failuresAreNotShownToTheRule() {
        Retry retry = bench.retry(policy());

        assertThat(catchThrowable(() -> bench.call(retry, fails(new IllegalArgumentException()))))
                .isNotNull();

        assertThat(asked).isEmpty();
    }

    @Test
    void theRuleIsAskedOnceAboutEachResult() throws Throwable {
        bench.call(bench.retry(policy()), returns("pending 1"), returns("pending 2"), returns("done"));

        assertThat(asked).containsExactly("pending 1", "pending 2", "done");
    }

    @Nested
    class ABrokenRule {

        private final IllegalStateException broken = new IllegalStateException("no property 'status'");

        @BeforeEach
        void breakTheRule() {
            bench.retryOnResult = result -> {
                throw broken;
            };
        }

        @Test
        void leavesTheCallItsOwnResultAndIsReportedOnce() throws Throwable {
            Retry retry = bench.retry(policy());
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                assertThat(bench.call(retry, returns("result 1"))).isEqualTo("result 1");
                assertThat(bench.call(retry, returns("result 2"))).isEqualTo("result 2");

                assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
                assertThat(log.single().getFormattedMessage()).contains("orders", "retry-on-result");
                assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("no property 'status'");
                assertThat(CapturedLog.pairsOf(log.single())).containsEntry("policy", "orders");
            }
            assertThat(retry.calls().get(SUCCESS)).isEqualTo(2);
            assertThat(retry.calls().total()).isEqualTo(2);
        }

        @Test
        void mayBeBrokenByAnotherVersionOfALibrary() throws Throwable {
            bench.retryOnResult = result -> {
                throw new NoSuchMethodError("status");
            };
            Retry retry = bench.retry(policy());

            assertThat(bench.call(retry, returns("result"))).isEqualTo("result");

            assertCounted(retry, SUCCESS);
        }

        @Test
        void isReportedForEachPolicy() throws Throwable {
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                bench.call(bench.retry(policy()), returns("result"));
                bench.call(bench.retry(policy()), returns("result"));

                assertThat(log.events()).hasSize(2);
            }
        }

        @Test
        void leavesTheCallItsOwnResultWhateverItThrows() throws Throwable {
            bench.retryOnResult = result -> Sneaky.sneak(new IOException());
            Retry retry = bench.retry(policy());
            try (CapturedLog log = CapturedLog.of(Retry.class)) {
                assertThat(bench.call(retry, returns("result"))).isEqualTo("result");

                assertThat(log.events()).hasSize(1);
            }
            assertCounted(retry, SUCCESS);
        }
    }
}
