package dev.resilience.retry;

import static dev.resilience.event.CapturedLog.pairsOf;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class RetryLogTests {

    private final RetryBench bench;
    private final CapturedLog log = CapturedLog.of(Retry.class);

    RetryLogTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aCallThatSucceedsAtOnceLeavesNoTrace() throws Throwable {
        bench.call(bench.retry(policy()), returns("result"));

        assertThat(log.events()).isEmpty();
    }

    @Test
    void everyRetryIsAWarning() throws Throwable {
        Retry retry = bench.retry(policy().backoff(RetryBench.fixed(Duration.ofMillis(2_500))));

        bench.call(retry, fails(new ConnectException("refused")), returns("result"));

        ILoggingEvent warning = log.events().get(0);
        assertThat(warning.getLevel()).isEqualTo(Level.WARN);
        assertThat(pairsOf(warning))
                .isEqualTo(Map.of(
                        "event", "retry_attempt",
                        "policy", "orders",
                        "attempt", 1,
                        "maxAttempts", 3,
                        "delayMs", 2_500L,
                        "at", "2026-01-01T00:00:00.000Z",
                        "errorType", "java.net.ConnectException",
                        "errorMessage", "refused"));
        assertThat(warning.getFormattedMessage())
                .contains("orders", "1 of 3", "2500 ms", "ConnectException", "refused");
        assertThat(warning.getThrowableProxy())
                .as("a stack trace for each retry")
                .isNull();
    }

    @Test
    void aLaterSuccessIsTold() throws Throwable {
        bench.call(bench.retry(policy()), fails(new ConnectException()), returns("result"));

        ILoggingEvent recovered = log.events().get(1);
        assertThat(log.events()).hasSize(2);
        assertThat(recovered.getLevel()).isEqualTo(Level.INFO);
        assertThat(pairsOf(recovered))
                .isEqualTo(Map.of("event", "retry_recovered", "policy", "orders", "attempt", 2, "maxAttempts", 3));
    }

    @Test
    void aCallThatFailsInTheEndHasNotRecovered() {
        Retry retry = bench.retry(policy().maxAttempts(2));

        failureOf(retry, new ConnectException(), new ConnectException("refused again"));

        ILoggingEvent exhausted = log.events().get(1);
        assertThat(log.events()).hasSize(2);
        assertThat(exhausted.getLevel()).isEqualTo(Level.WARN);
        assertThat(pairsOf(exhausted))
                .isEqualTo(Map.of(
                        "event", "retry_exhausted",
                        "policy", "orders",
                        "attempt", 2,
                        "maxAttempts", 2,
                        "reason", "no attempts are left",
                        "errorType", "java.net.ConnectException",
                        "errorMessage", "refused again"));
        assertThat(exhausted.getFormattedMessage())
                .isEqualTo("Retry 'orders': attempt 2 of 2 failed and is not repeated, because no attempts are left: "
                        + "java.net.ConnectException: refused again");
    }

    @Test
    void aRetryIsToldOfWhenItBegins() {
        Retry retry = bench.retry(policy().maxAttempts(2));
        List<Integer> linesBefore = new ArrayList<>();
        bench.time.schedule(
                Duration.ofMillis(999), () -> linesBefore.add(log.events().size()));

        failureOf(retry, new ConnectException(), new ConnectException());

        assertThat(linesBefore).containsExactly(0);
        assertThat(pairsOf(log.events().get(0))).containsEntry("event", "retry_attempt");
    }

    @Test
    void aRetryThatTheBudgetRefusesIsNotAnnounced() {
        bench.budget = new RetryBudget("shared", new RetryBudgetPolicy(0, Duration.ofSeconds(1), 1), bench.time);
        bench.budget.tryAcquire();

        failureOf(bench.retry(policy()), new ConnectException("refused"));

        assertThat(pairsOf(log.single()))
                .containsEntry("event", "retry_budget_exhausted")
                .containsEntry("attempt", 1)
                .containsEntry("reason", "the retry budget is exhausted")
                .containsEntry("errorType", "java.net.ConnectException");
    }

    @Test
    void aCallThatRunsOutOfTimeIsToldWithTheReason() {
        failureOf(bench.retry(policy().maxDuration(Duration.ofMillis(500))), new ConnectException("refused"));

        assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
        assertThat(pairsOf(log.single()))
                .containsEntry("event", "retry_out_of_time")
                .containsEntry("reason", "the next one would begin after max-duration");
    }

    @Test
    void aHintThatIsTooLongIsToldWithTheReason() {
        failureOf(bench.retry(policy()), new RetryBench.HttpError(503, "3600"));

        assertThat(pairsOf(log.single()))
                .containsEntry("event", "retry_out_of_time")
                .containsEntry("reason", "the server asks to wait longer than max-retry-after");
    }

    @Test
    void aFailureWithoutMessageAndAResultThatAsksForAnotherTryAreToldToo() throws Throwable {
        bench.retryOnResult = "order 4711"::equals;

        bench.call(bench.retry(policy()), fails(new ConnectException()), returns("order 4711"), returns("done"));

        assertThat(pairsOf(log.events().get(0))).containsEntry("errorMessage", "null");
        assertThat(pairsOf(log.events().get(1)))
                .containsEntry("errorType", "result")
                .containsKey("errorMessage");
        assertThat(log.events())
                .allSatisfy(entry -> assertThat(entry.getFormattedMessage() + pairsOf(entry))
                        .as("results are not logged")
                        .doesNotContain("4711"));
    }

    @Test
    void anUnknownFaultIsExplainedOnceForEachType() {
        Retry retry = bench.retry(policy());

        failureOf(retry, new FileNotFoundException());
        failureOf(retry, new FileNotFoundException());
        failureOf(retry, new IOException());

        assertThat(log.events()).hasSize(2);
        ILoggingEvent explained = log.events().get(0);
        assertThat(explained.getLevel()).isEqualTo(Level.WARN);
        assertThat(explained.getFormattedMessage())
                .contains(
                        "java.io.FileNotFoundException",
                        "resilience.retry.orders.retry-on;",
                        "resilience.retry.orders.retry-unknown");
        assertThat(pairsOf(explained)).containsEntry("errorType", "java.io.FileNotFoundException");
        assertThat(log.events().get(1).getFormattedMessage()).contains("java.io.IOException");
    }

    @Test
    void aWrapperIsExplainedWithWhatIsInIt() {
        Retry retry = bench.retry(policy());

        failureOf(retry, new RuntimeException(new FileNotFoundException()));
        failureOf(retry, new RuntimeException(new IOException()));
        failureOf(retry, new RuntimeException(new IOException()));

        assertThat(log.events()).hasSize(2);
        assertThat(log.events().get(0).getFormattedMessage())
                .contains(
                        "java.lang.RuntimeException, caused by java.io.FileNotFoundException,",
                        "add java.io.FileNotFoundException to resilience.retry.orders.retry-on");
        assertThat(pairsOf(log.events().get(0))).containsEntry("errorType", "java.lang.RuntimeException");
    }

    @Test
    void anUnknownFaultIsExplainedForEachPolicy() {
        failureOf(bench.retry(policy()), new IOException());
        failureOf(bench.retry(policy()), new IOException());

        assertThat(log.events()).hasSize(2);
    }

    @Test
    void aPolicyThatIsNamedAfterAMethodIsNamedInBrackets() {
        Retry retry = RetryBuilder.retry("OrderService.place", policy().build())
                .timeSource(bench.time)
                .build();

        failureOf(retry, new IOException());

        assertThat(log.single().getFormattedMessage())
                .contains("resilience.retry[OrderService.place].retry-on;")
                .contains("resilience.retry[OrderService.place].retry-unknown");
    }

    @Test
    void aPermanentFaultNeedsNoExplanation() {
        failureOf(bench.retry(policy()), new IllegalArgumentException());

        assertThat(log.events()).isEmpty();
    }

    @Test
    void anUnknownFaultThatThePolicyListsNeedsNoExplanation() {
        failureOf(bench.retry(policy().doNotRetryOn(List.of(IOException.class))), new IOException());

        assertThat(log.events()).isEmpty();
    }

    @Test
    void namesOfPoliciesThatLookLikePlaceholdersAreLoggedAsTheyAre() throws Throwable {
        Retry odd = RetryBuilder.retry("{}", policy().build())
                .timeSource(bench.time)
                .events(bench.events)
                .build();

        bench.call(odd, fails(new ConnectException("{} and {}")), returns("result"));

        assertThat(log.events().get(0).getFormattedMessage()).contains("'{}'", "{} and {}");
    }

    private void failureOf(Retry retry, Throwable... failures) {
        Throwable last = failures[failures.length - 1];
        assertThat(catchThrowable(() -> bench.call(
                        retry, Arrays.stream(failures).map(RetryBench::fails).toArray(Invocation[]::new))))
                .isSameAs(last);
    }
}
