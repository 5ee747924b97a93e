package dev.resilience.retry;

import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.CapturedLog;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.pipeline.CallStyle;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class RetryEventsTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final RetryBench bench;
    private final List<ResilienceEvent> heard = new ArrayList<>();
    private final ConnectException refused = new ConnectException("refused");

    RetryEventsTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void aCallThatSucceedsAtOnceIsNotHeardOf() throws Throwable {
        bench.events.add(heard::add);

        bench.call(bench.retry(policy()), returns("result"));

        assertThat(heard).isEmpty();
    }

    @Test
    void aCallThatFailsWithoutARetryIsHeardOf() {
        bench.events.add(heard::add);

        assertThat(catchThrowable(() -> bench.call(bench.retry(policy()), fails(new IllegalArgumentException()))))
                .isNotNull();

        assertThat(heard)
                .containsExactly(new RetryFinished(START, "orders", RetryOutcome.NOT_RETRYABLE, 1, Duration.ZERO));
    }

    @Test
    void soIsOneThatMayHaveOneAttemptOnly() {
        bench.events.add(heard::add);

        assertThat(catchThrowable(() -> bench.call(bench.retry(policy().maxAttempts(1)), fails(refused))))
                .isSameAs(refused);

        assertThat(heard).containsExactly(new RetryFinished(START, "orders", RetryOutcome.EXHAUSTED, 1, Duration.ZERO));
    }

    @Test
    void soIsOneWhoseFirstRetryTheBudgetRefuses() {
        bench.budget = new RetryBudget("small", new RetryBudgetPolicy(0, SECOND, 1), bench.time);
        assertThat(bench.budget.tryAcquire()).isTrue();
        bench.events.add(heard::add);

        assertThat(catchThrowable(() -> bench.call(bench.retry(policy()), fails(refused))))
                .isSameAs(refused);

        assertThat(heard)
                .containsExactly(new RetryFinished(START, "orders", RetryOutcome.BUDGET_EXHAUSTED, 1, Duration.ZERO));
    }

    @Test
    void soIsOneThatHasNoTimeForARetry() {
        bench.events.add(heard::add);
        RetryPolicy.Builder impatient = policy().maxDuration(Duration.ofMillis(500));

        assertThat(catchThrowable(() -> bench.call(bench.retry(impatient), fails(refused))))
                .isSameAs(refused);

        assertThat(heard)
                .containsExactly(new RetryFinished(START, "orders", RetryOutcome.OUT_OF_TIME, 1, Duration.ZERO));
    }

    @Test
    void everyRetryIsHeardOfAndTheEndOfTheCall() throws Throwable {
        bench.events.add(heard::add);
        ConnectException again = new ConnectException("again");

        bench.call(bench.retry(policy()), fails(refused), fails(again), returns("result"));

        assertThat(heard)
                .containsExactly(
                        new RetryScheduled(START, "orders", 1, 3, SECOND, refused),
                        new RetryScheduled(START.plusSeconds(1), "orders", 2, 3, SECOND, again),
                        new RetryFinished(
                                START.plusSeconds(2),
                                "orders",
                                RetryOutcome.SUCCESS_AFTER_RETRY,
                                3,
                                SECOND.multipliedBy(2)));
    }

    @Test
    void theEndOfACallThatFailedIsHeardOfToo() {
        bench.events.add(heard::add);

        assertThat(catchThrowable(
                        () -> bench.call(bench.retry(policy().maxAttempts(2)), fails(refused), fails(refused))))
                .isSameAs(refused);

        assertThat(heard)
                .last()
                .isEqualTo(new RetryFinished(START.plusSeconds(1), "orders", RetryOutcome.EXHAUSTED, 2, SECOND));
    }

    @Test
    void aResultThatAskedForTheRetryIsNotShown() throws Throwable {
        bench.events.add(heard::add);
        bench.retryOnResult = "pending"::equals;

        bench.call(bench.retry(policy()), returns("pending"), returns("done"));

        assertThat(heard).first().isEqualTo(new RetryScheduled(START, "orders", 1, 3, SECOND, null));
    }

    @Test
    void theDurationIncludesTheAttempts() throws Throwable {
        bench.events.add(heard::add);
        bench.time.advance(Duration.ofHours(1));

        bench.call(
                bench.retry(policy()),
                () -> {
                    bench.time.advance(Duration.ofMillis(300));
                    throw refused;
                },
                () -> {
                    bench.time.advance(Duration.ofMillis(400));
                    return "result";
                });

        assertThat(heard)
                .last()
                .isInstanceOfSatisfying(
                        RetryFinished.class, end -> assertThat(end.duration()).isEqualTo(Duration.ofMillis(1_700)));
    }

    @Test
    void aListenerThatThrowsDoesNotHurtTheCall() throws Throwable {
        bench.events.add(event -> {
            throw new IllegalStateException("broken listener");
        });
        bench.events.add(heard::add);
        Retry retry = bench.retry(policy());
        try (CapturedLog log = CapturedLog.of(EventPublisher.class)) {
            assertThat(bench.call(retry, fails(refused), returns("result"))).isEqualTo("result");

            assertThat(log.single().getThrowableProxy()).isNotNull();
        }
        assertCounted(retry, RetryOutcome.SUCCESS_AFTER_RETRY);
        assertThat(heard).hasSize(2);
    }

    @Test
    void aListenerThatThrowsAnErrorDoesNotHurtTheCallEither() throws Throwable {
        bench.events.add(event -> {
            throw new NoSuchMethodError("another version of the metrics library");
        });
        Retry retry = bench.retry(policy());
        try (CapturedLog log = CapturedLog.of(EventPublisher.class)) {
            assertThat(bench.call(retry, fails(refused), returns("result"))).isEqualTo("result");

            assertThat(log.single().getThrowableProxy()).isNotNull();
        }
        assertCounted(retry, RetryOutcome.SUCCESS_AFTER_RETRY);
    }

    @Test
    void aListenerThatComesDuringACallHearsOfNoDurationThatNobodyMeasured() throws Throwable {
        bench.time.advance(Duration.ofHours(1));

        bench.call(
                bench.retry(policy()),
                () -> {
                    bench.events.add(heard::add);
                    throw refused;
                },
                returns("result"));

        assertThat(heard).hasExactlyElementsOfTypes(RetryScheduled.class);
    }
}
