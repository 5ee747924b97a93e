package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.StubTime;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an application does when its stage is cancelled may last for ever: the answer fails on time all the same. */
@Timeout(60)
class BlockingCancellationTests {

    private final StubTime time = new StubTime() {
        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (!delay.isZero()) {
                return super.schedule(delay, task);
            }
            TestTimeLimit.startThread(() -> {
                task.run();
                return null;
            });
            return () -> {};
        }
    };

    @ParameterizedTest
    @EnumSource
    void theAnswerDoesNotWaitForIt(RunsOn thread) {
        TimeLimitPolicy policy = new TimeLimitPolicy(TestTimeLimit.TIMEOUT, thread, 1);
        TimeLimit limit = new TimeLimit("orders", policy, Environment.of(time));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Boolean> whatIsDone = stage.handle((result, failure) -> {
            cancelled.countDown();
            TestTimeLimit.deaf(latch);
            return true;
        });
        CompletableFuture<String> answer = Pipeline.of(limit).callAsync(() -> {
            begun.countDown();
            return stage;
        });
        TestTimeLimit.deaf(begun);
        TestTimeLimit.soon(() -> limit.workers() == 0);

        Call timer = TestTimeLimit.startThread(() -> {
            time.timerGoesOff();
            return null;
        });

        assertThat(answer)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(TimeLimitExceededException.class);
        timer.end();
        TestTimeLimit.deaf(cancelled);
        assertThat(whatIsDone).isNotDone();
        latch.countDown();
        assertThat(whatIsDone).succeedsWithin(Duration.ofSeconds(30));
    }
}
