package dev.resilience.retry;

import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.RetryBudget.RetryBudgetWindow;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A budget of two retries per second and a tenth of the calls, in a window of ten seconds. */
class RetryBudgetTests {

    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration SLOT = WINDOW.dividedBy(RetryBudgetWindow.SLOTS_PER_WINDOW);

    private final RetryBench bench = new RetryBench(CallStyle.SYNC);
    private final RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0.1, WINDOW, 2), bench.time);

    @Test
    void itKnowsItsNameAndItsPolicy() {
        assertThat(budget.name()).isEqualTo("shared");
        assertThat(budget.policy()).isEqualTo(new RetryBudgetPolicy(0.1, WINDOW, 2));
    }

    @Test
    void withoutCallsItAllowsTheMinimumOfAWindow() {
        assertThat(budget.available()).isEqualTo(20);

        assertThat(acquireAll()).isEqualTo(20);
        assertThat(budget.available()).isZero();
    }

    @Test
    void lookingAtItTakesNothing() {
        for (int i = 0; i < 100; i++) {
            assertThat(budget.available()).isEqualTo(20);
        }
    }

    @Test
    void everyRetryMakesItSmaller() {
        budget.tryAcquire();
        assertThat(budget.available()).isEqualTo(19);
        budget.tryAcquire();
        assertThat(budget.available()).isEqualTo(18);
    }

    @Test
    void itRecoversWhenNoWindowContainsTheRetriesAnyMore() {
        acquireAll();

        bench.time.advance(WINDOW);
        assertThat(budget.available()).as("the window's edge is part of it").isZero();
        bench.time.advance(SLOT);
        assertThat(budget.available()).isEqualTo(20);
        assertThat(acquireAll()).isEqualTo(20);
    }

    @Test
    void itRecoversAsTheWindowSlides() {
        for (int i = 0; i < 5; i++) {
            budget.tryAcquire();
        }
        bench.time.advance(Duration.ofSeconds(5));
        acquireAll();

        bench.time.advance(Duration.ofSeconds(5).plus(SLOT));
        assertThat(budget.available()).isEqualTo(5);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(budget.available()).isEqualTo(20);
    }

    @Test
    void itRecoversAfterAnyTime() {
        acquireAll();

        bench.time.advance(Duration.ofDays(100 * 365));

        assertThat(acquireAll()).isEqualTo(20);
    }

    @Test
    void callsAfterARetryPayForAnother() {
        acquireAll();

        call(9);
        assertThat(budget.tryAcquire()).isFalse();
        call(1);
        assertThat(budget.available()).isEqualTo(1);
        assertThat(budget.tryAcquire()).isTrue();
        assertThat(budget.tryAcquire()).isFalse();
    }

    @Test
    void callsMadeBeforeTheRetriesCannotPayForAWindowThatBeginsWithThem() {
        call(1_000_000);

        assertThat(acquireAll()).isEqualTo(20);
    }

    @Test
    void afterALongQuietTimeCallsDoNotPileUp() {
        call(1_000_000);
        bench.time.advance(Duration.ofHours(1));

        assertThat(acquireAll()).isEqualTo(20);
    }

    @Test
    void underSteadyTrafficItGivesWhatItPromises() {
        int granted = 0;
        for (int tenth = 0; tenth < 6_000; tenth++) {
            call(100);
            for (int failed = 0; failed < 50; failed++) {
                granted += budget.tryAcquire() ? 1 : 0;
            }
            bench.time.advance(Duration.ofMillis(100));
        }

        double promised = 600 * (2 + 0.1 * 1_000);
        assertThat(granted / promised).isBetween(0.95, 1.05);
    }

    @Test
    void aRatioOfZeroLeavesTheMinimum() {
        RetryBudget minimum = new RetryBudget("minimum", new RetryBudgetPolicy(0, WINDOW, 1), bench.time);
        minimum.tryAcquire();
        for (int i = 0; i < 1_000; i++) {
            minimum.firstAttemptEnded();
        }

        assertThat(minimum.available()).isEqualTo(9);
    }

    @Test
    void aMinimumBelowOneRetryInAWindowAllowsNone() {
        RetryBudget tiny = new RetryBudget("tiny", new RetryBudgetPolicy(0.1, Duration.ofMillis(100), 9), bench.time);

        assertThat(tiny.available()).isZero();
        assertThat(tiny.tryAcquire()).isFalse();
    }

    @Test
    void ratiosThatDoublesCannotHoldCostNoRetry() {
        RetryBudget tenth = new RetryBudget("tenth", new RetryBudgetPolicy(0.1, Duration.ofSeconds(1), 1), bench.time);
        assertThat(tenth.tryAcquire()).isTrue();

        for (int call = 1; call <= 10; call++) {
            tenth.firstAttemptEnded();
            assertThat(tenth.tryAcquire()).as("after %s calls", call).isEqualTo(call == 10);
        }
    }

    @Test
    void retriesThatShareItPayTogetherAndTakeTogether() throws Throwable {
        RetryBudget shared = new RetryBudget("shared", new RetryBudgetPolicy(0.5, Duration.ofHours(1), 1), bench.time);
        bench.budget = shared;
        Retry first = bench.retry(policy().backoff(RetryBench.fixed(Duration.ZERO)));
        Retry second = bench.retry(policy().backoff(RetryBench.fixed(Duration.ZERO)));
        long all = shared.available();

        bench.call(first, fails(new ConnectException()), returns("result"));
        assertThat(shared.available()).isEqualTo(all - 1);
        bench.call(first, returns("result"));
        bench.call(second, returns("result"));
        assertThat(shared.available()).as("two calls pay for a retry").isEqualTo(all);
        assertThat(first.budget()).isSameAs(second.budget());
    }

    @Test
    void withoutBudgetEveryRetryIsMade() {
        Retry free = bench.retry(policy().maxAttempts(1_000).backoff(RetryBench.fixed(Duration.ZERO)));
        ConnectException refused = new ConnectException();
        Invocation[] failures = new Invocation[1_000];
        Arrays.fill(failures, fails(refused));

        assertThat(catchThrowable(() -> bench.call(free, failures))).isSameAs(refused);

        RetryBench.assertCounted(free, RetryOutcome.EXHAUSTED);
        assertThat(free.budget()).isNull();
    }

    @Test
    void theWholeWindowCountsHoweverItIsDivided() {
        RetryBudget odd =
                new RetryBudget("odd", new RetryBudgetPolicy(0, Duration.ofNanos(39), 100_000_000), bench.time);
        assertThat(odd.available()).isEqualTo(3);
        assertThat(List.of(odd.tryAcquire(), odd.tryAcquire(), odd.tryAcquire()))
                .containsOnly(true);

        bench.time.advance(Duration.ofNanos(39));
        assertThat(odd.available()).isZero();
        bench.time.advance(Duration.ofNanos(5));
        assertThat(odd.available()).isEqualTo(3);
    }

    private void call(int times) {
        for (int i = 0; i < times; i++) {
            budget.firstAttemptEnded();
        }
    }

    private int acquireAll() {
        int acquired = 0;
        while (budget.tryAcquire()) {
            acquired++;
        }
        return acquired;
    }
}
