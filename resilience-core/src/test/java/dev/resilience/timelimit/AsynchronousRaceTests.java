package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of the stage, the end of its time and the caller's cancellation at the same moment, again and again. */
@Timeout(120)
class AsynchronousRaceTests {

    private static final int ROUNDS = 3_000;

    @ParameterizedTest
    @EnumSource(RunsOn.class)
    void eachCallHasOneOutcome(RunsOn thread) throws Exception {
        TestTimeLimit calls = new TestTimeLimit(thread);
        ExecutorService others = Executors.newFixedThreadPool(2);
        Random random = new Random(42);
        int done = 0;
        int exceeded = 0;
        int cancelled = 0;
        for (int i = 0; i < ROUNDS; i++) {
            CyclicBarrier together = new CyclicBarrier(3);
            CompletableFuture<String> stage = new CompletableFuture<>();
            CountDownLatch begun = new CountDownLatch(1);
            CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
                begun.countDown();
                return stage;
            });
            if (i % 2 == 0) { // else a busy machine may begin every call too late
                assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            }
            Future<?> completing = others.submit(() -> after(together, random.nextInt(50), () -> stage.complete("ok")));
            Future<?> timing = others.submit(() -> after(together, random.nextInt(50), calls::timeIsOver));
            boolean cancelling = i % 3 == 0;
            after(together, random.nextInt(50), () -> {
                if (cancelling) {
                    answer.cancel(true);
                }
            });
            completing.get(30, TimeUnit.SECONDS);
            timing.get(30, TimeUnit.SECONDS);

            TestTimeLimit.soon(answer::isDone);
            Throwable failure = answer.handle((result, thrown) -> thrown).join();
            if (failure == null) {
                done++;
            } else if (failure instanceof CancellationException) {
                cancelled++;
            } else {
                assertThat(failure).isInstanceOf(TimeLimitExceededException.class);
                exceeded++;
            }
            assertThat(stage).isDone();
        }
        others.shutdown();

        assertThat(done).isPositive();
        assertThat(exceeded).isPositive();
        assertThat(done + exceeded + cancelled).isEqualTo(ROUNDS);
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        TestTimeLimit.soon(() -> calls.limit.calls().total() == ROUNDS);
        assertThat(calls.time.elapsed()).isEqualTo(Duration.ofSeconds(5L * ROUNDS));
    }

    private static void after(CyclicBarrier together, int spins, Runnable action) {
        try {
            together.await(30, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
        action.run();
    }
}
