package dev.resilience.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OutcomeCountersTests {

    private final OutcomeCounters<RetryOutcome> counters = new OutcomeCounters<>(RetryOutcome.class);

    @Test
    void everyOutcomeStartsAtZero() {
        assertThat(counters.total()).isZero();
        assertThat(counters.outcomes())
                .allSatisfy(outcome -> assertThat(counters.get(outcome)).isZero());
    }

    @Test
    void eachIsCountedForItself() {
        counters.count(RetryOutcome.SUCCESS);
        counters.count(RetryOutcome.EXHAUSTED);
        counters.count(RetryOutcome.EXHAUSTED);

        assertThat(counters.get(RetryOutcome.SUCCESS)).isEqualTo(1);
        assertThat(counters.get(RetryOutcome.EXHAUSTED)).isEqualTo(2);
        assertThat(counters.get(RetryOutcome.INTERRUPTED)).isZero();
        assertThat(counters.total()).isEqualTo(3);
    }

    @Test
    void theListOfOutcomesIsACopy() {
        counters.outcomes()[0] = RetryOutcome.INTERRUPTED;

        assertThat(counters.outcomes()).containsExactly(RetryOutcome.values());
    }

    @Test
    @Timeout(60)
    void noCountIsLostBetweenThreads() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = Stream.generate(() -> new Thread(() -> countMany(start)))
                .limit(4)
                .toList();
        threads.forEach(Thread::start);

        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(counters.get(RetryOutcome.SUCCESS)).isEqualTo(4 * 10_000);
    }

    @Test
    void labelsAreThoseOfTheMetrics() {
        assertThat(labels(RetryOutcome.values()))
                .containsExactly(
                        "success",
                        "success_after_retry",
                        "exhausted",
                        "not_retryable",
                        "budget_exhausted",
                        "out_of_time",
                        "interrupted");
        assertThat(labels(CircuitBreakerOutcome.values()))
                .containsExactly("success", "failure", "ignored", "rejected", "would_reject");
        assertThat(labels(BulkheadOutcome.values()))
                .containsExactly("accepted", "rejected", "timed_out", "would_reject");
        assertThat(labels(TimeLimitOutcome.values())).containsExactly("in_time", "timed_out", "would_reject");
        assertThat(labels(IdempotencyOutcome.values()))
                .containsExactlyInAnyOrder(
                        "executed",
                        "replayed",
                        "in_progress",
                        "key_reused",
                        "taken_over",
                        "lease_lost",
                        "released",
                        "outcome_unknown",
                        "store_failure",
                        "no_key");
        assertThat(labels(FallbackOutcome.values())).containsExactly("success", "failure");
        assertThat(Arrays.stream(CircuitState.values()).map(CircuitState::label))
                .containsExactly("closed", "open", "half_open", "forced_open", "disabled", "metrics_only");
    }

    private void countMany(CountDownLatch start) {
        try {
            start.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
        for (int i = 0; i < 10_000; i++) {
            counters.count(RetryOutcome.SUCCESS);
        }
    }

    private static List<String> labels(Outcome... outcomes) {
        return Arrays.stream(outcomes).map(Outcome::label).toList();
    }
}
