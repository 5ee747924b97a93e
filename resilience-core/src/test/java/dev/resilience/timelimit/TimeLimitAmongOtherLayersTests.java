package dev.resilience.timelimit;

import static dev.resilience.timelimit.TestTimeLimit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.context.Attempt;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryBuilder;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(RunsOn.class)
class TimeLimitAmongOtherLayersTests {

    private final TestTimeLimit calls;
    private final Retry retry;
    private final CircuitBreaker breaker;
    private final AtomicInteger attempts = new AtomicInteger();

    TimeLimitAmongOtherLayersTests(RunsOn thread) {
        calls = new TestTimeLimit(thread);
        RetryBudget budget = new RetryBudget("orders", RetryBudgetPolicy.defaults(), calls.time);
        FaultClassification faults = FaultClassification.ofJdk();
        retry = RetryBuilder.retry("orders", RetryPolicy.defaults())
                .faults(faults)
                .timeSource(calls.time)
                .budget(budget)
                .build();
        breaker = new CircuitBreaker(
                "orders",
                CircuitBreakerPolicy.defaults(),
                new Environment(calls.time, new EventPublisher(), faults, ContextCarrier.standard()));
    }

    @Test
    void itsExceptionIsTransientWhateverTheCause() {
        List<Throwable> causes =
                List.of(new InterruptedException(), new IllegalArgumentException(), new AssertionError());

        assertThat(causes).allSatisfy(cause -> {
            Throwable exceeded = new TimeLimitExceededException("orders", "too long", cause);
            assertThat(FaultClassification.ofJdk().classify(exceeded, FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(Fault.TRANSIENT);
            assertThat(FaultClassification.isInterrupt(exceeded)).isFalse();
        });
    }

    @Test
    void insideARetryEachAttemptHasTheWholeTime() throws Exception {
        String result = Pipeline.of(breaker, retry, calls.limit).call(() -> {
            if (attempts.incrementAndGet() < 3) {
                calls.time.advance(TIMEOUT);
                return blocked();
            }
            calls.time.advance(TIMEOUT.minusNanos(1));
            return "third";
        });

        assertThat(result).isEqualTo("third");
        assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        calls.assertCounted(1, 2);
    }

    @Test
    void theLastAttemptsExceptionIsThrownWithTheEarlierOnes() {
        assertThatThrownBy(() -> Pipeline.of(retry, calls.limit).call(() -> {
                    calls.time.advance(TIMEOUT);
                    return blocked();
                }))
                .isInstanceOf(TimeLimitExceededException.class)
                .satisfies(last -> assertThat(last.getSuppressed())
                        .hasSize(2)
                        .hasOnlyElementsOfType(TimeLimitExceededException.class));
        assertThat(retry.calls().get(RetryOutcome.EXHAUSTED)).isEqualTo(1);
    }

    @Test
    void asynchronousAttemptsToo() {
        List<CompletableFuture<String>> stages = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<String> answer = Pipeline.of(breaker, retry, calls.limit)
                .callAsync(() -> {
                    CompletableFuture<String> stage = new CompletableFuture<>();
                    stages.add(stage);
                    return stages.size() < 3 ? stage : CompletableFuture.completedFuture("third");
                });
        for (int attempt = 1; attempt < 3; attempt++) {
            int made = attempt;
            TestTimeLimit.soon(() -> stages.size() == made && calls.limit.workers() == 0);
            calls.time.advance(TIMEOUT);
            calls.time.advance(Duration.ofSeconds(2)); // the longest backoff
        }

        assertThat(answer).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("third");
        TestTimeLimit.soon(() -> stages.subList(0, 2).stream().allMatch(CompletableFuture::isCancelled));
        calls.assertCounted(1, 2);
    }

    @Test
    void aBreakerCountsAFailure() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> Pipeline.of(breaker, calls.limit).call(() -> {
                        calls.time.advance(TIMEOUT);
                        return "too late";
                    }))
                    .isInstanceOf(TimeLimitExceededException.class);
        }

        assertThat(breaker.calls().get(CircuitBreakerOutcome.FAILURE)).isEqualTo(5);
        assertThat(breaker.currentState()).hasToString("OPEN");
    }

    @Test
    void outsideOfARetryItHoldsForAllAttemptsTogether() {
        assertThatThrownBy(() -> Pipeline.of(calls.limit, retry).call(() -> {
                    attempts.incrementAndGet();
                    calls.time.advance(TIMEOUT);
                    throw new ConnectException();
                }))
                .isInstanceOf(TimeLimitExceededException.class);

        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        assertThat(attempts).hasValue(1);
        assertThat(retry.calls().get(RetryOutcome.INTERRUPTED)).isEqualTo(1);
    }

    @Test
    void theBodyKnowsItsAttempt() throws Exception {
        Pipeline.of(retry, calls.limit).call(() -> {
            Attempt attempt = Attempt.current();
            assertThat(attempt).isNotNull();
            return attempts.getAndSet(attempt.number());
        });

        assertThat(attempts).hasValue(1);
        assertThat(calls.pipeline.<Attempt, Exception>call(Attempt::current)).isNull();
    }

    private static String blocked() throws InterruptedException {
        return String.valueOf(TestTimeLimit.blocked());
    }
}
