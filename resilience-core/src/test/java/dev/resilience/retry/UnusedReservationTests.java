package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.StubTime;
import dev.resilience.context.Deadline;
import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that does not make the retry for which it waits leaves it to others, for whatever reason it does not. */
@Timeout(60)
class UnusedReservationTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Invocation REFUSED = () -> {
        throw new ConnectException("refused");
    };

    private final ManualTimeSource time = new ManualTimeSource();
    private final RetryBudget budget = budget(time);

    @Test
    void whileACallWaitsItsRetryIsKept() {
        CompletableFuture<Object> call = callAsync(time, budget);

        assertThat(call).isNotDone();
        assertThat(budget.available()).isZero();
    }

    @Test
    void aCallThatIsCancelledGivesItBack() {
        callAsync(time, budget).cancel(true);

        assertThat(budget.available()).isEqualTo(1);
        time.advance(Duration.ofMinutes(1));
        assertThat(budget.available()).isEqualTo(1);
    }

    @Test
    void aCallThatIsAnsweredByItsCallerGivesItBack() {
        callAsync(time, budget).complete("enough");

        assertThat(budget.available()).isEqualTo(1);
    }

    @Test
    void aThreadThatIsInterruptedGivesItBack() {
        Retry retry = retry(time, budget);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Pipeline.of(retry).invoke(REFUSED)).isInstanceOf(ConnectException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(retry.calls().get(RetryOutcome.INTERRUPTED)).isEqualTo(1);
        assertThat(budget.available()).isEqualTo(1);
    }

    @Test
    void aCallThatComesBackAfterItsDeadlineGivesItBack() throws Exception {
        StubTime late = new StubTime();
        RetryBudget ofLate = budget(late);
        Retry retry = retry(late, ofLate);
        CompletableFuture<Object> call = Deadline.in(SECOND.plusMillis(1), late).call(() -> callAsync(retry));

        late.advance(SECOND.plusMillis(500).toNanos());
        assertThat(ofLate.available()).isZero();
        late.timerGoesOff();

        assertThat(call).isCompletedExceptionally();
        assertThat(retry.calls().get(RetryOutcome.OUT_OF_TIME)).isEqualTo(1);
        assertThat(ofLate.available()).isEqualTo(1);
    }

    @Test
    void aSleepThatFailsGivesItBack() {
        BrokenTime broken = new BrokenTime();
        RetryBudget ofBroken = budget(broken);
        Pipeline pipeline = Pipeline.of(retry(broken, ofBroken));

        assertThatThrownBy(() -> pipeline.invoke(REFUSED)).isInstanceOf(StackOverflowError.class);

        assertThat(ofBroken.available()).isEqualTo(1);
    }

    @Test
    void aTimerThatCannotBeSetGivesItBack() {
        BrokenTime broken = new BrokenTime();
        RetryBudget ofBroken = budget(broken);

        assertThat(callAsync(broken, ofBroken)).failsWithin(Duration.ofSeconds(30));

        assertThat(ofBroken.available()).isEqualTo(1);
    }

    @Test
    void aClockThatFailsWhenTheWaitIsOverGivesItBack() {
        BrokenTime broken = new BrokenTime();
        broken.timers = true;
        RetryBudget ofBroken = budget(broken);
        CompletableFuture<Object> call = callAsync(broken, ofBroken);

        broken.clock = false;
        broken.timerGoesOff();
        broken.clock = true;

        assertThat(call).failsWithin(Duration.ofSeconds(30));
        assertThat(ofBroken.available()).isEqualTo(1);
    }

    private static CompletableFuture<Object> callAsync(TimeSource time, RetryBudget budget) {
        return callAsync(retry(time, budget));
    }

    private static CompletableFuture<Object> callAsync(Retry retry) {
        return Pipeline.of(retry).callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
    }

    private static Retry retry(TimeSource time, RetryBudget budget) {
        return Retry.builder("orders", RetryBench.policy().build())
                .timeSource(time)
                .budget(budget)
                .build();
    }

    /** Of one retry. */
    private static RetryBudget budget(TimeSource time) {
        return new RetryBudget("orders", new RetryBudgetPolicy(0, SECOND, 1), time);
    }

    private static final class BrokenTime extends StubTime {

        private boolean clock = true;
        private boolean timers;

        @Override
        public long nanoTime() {
            if (!clock) {
                throw new IllegalStateException("no time");
            }
            return super.nanoTime();
        }

        @Override
        public void sleep(Duration duration) {
            throw new StackOverflowError("no room to sleep");
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (!timers) {
                throw new OutOfMemoryError("no thread");
            }
            return super.schedule(delay, task);
        }
    }
}
