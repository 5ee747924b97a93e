package dev.resilience.timelimit;

import static dev.resilience.timelimit.TestTimeLimit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@ParameterizedClass
@EnumSource(RunsOn.class)
class AsynchronousTimeLimitTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final RunsOn thread;
    private final TestTimeLimit calls;
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final CountDownLatch asked = new CountDownLatch(1);

    AsynchronousTimeLimitTests(RunsOn thread) {
        this.thread = thread;
        this.calls = new TestTimeLimit(thread, 1);
    }

    @AfterEach
    void nothingIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
    }

    @Test
    void aResultInTimeIsPassedOn() {
        CompletableFuture<String> answer = start();

        stage.complete("ok");

        assertThat(answer).succeedsWithin(SOON).isEqualTo("ok");
        calls.timeIsOver();
        calls.assertCounted(1, 0);
    }

    @Test
    void aFailureInTimeIsPassedOn() {
        CompletableFuture<String> answer = start();
        IllegalStateException failure = new IllegalStateException();

        stage.completeExceptionally(new CompletionException(failure));

        assertThatThrownBy(answer::get).hasCause(failure).cause().isSameAs(failure);
        calls.assertCounted(1, 0);
    }

    @Test
    void whenTheTimeIsOverTheAnswerFailsAndTheStageIsCancelled() {
        CompletableFuture<String> answer = start();
        calls.time.advance(TIMEOUT.minusNanos(1));
        assertThat(answer).isNotDone();

        calls.time.advance(Duration.ofNanos(1));

        assertExceeded(answer, "the call took longer than 5 s");
        TestTimeLimit.soon(stage::isCancelled);
        calls.assertCounted(0, 1);
    }

    @Test
    void theCallersCancellationCancelsTimerAndStage() {
        CompletableFuture<String> answer = start();

        answer.cancel(true);

        TestTimeLimit.soon(stage::isCancelled);
        calls.timeIsOver();
        assertThat(answer).isCancelled();
        calls.assertCounted(1, 0);
    }

    @Test
    void aStageThatEndsTooLateChangesNothing() {
        CompletableFuture<String> deaf = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            asked.countDown();
            return deaf;
        });
        TestTimeLimit.soon(() -> asked.getCount() == 0);
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        calls.timeIsOver();

        deaf.complete("too late");

        assertExceeded(answer, "the call took longer than 5 s");
        calls.assertCounted(0, 1);
    }

    @Test
    void theTimeThatTheBodyTakesToMakeTheStageCounts() {
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            calls.timeIsOver();
            return stage;
        });

        assertExceeded(answer, "the call took longer than 5 s");
        TestTimeLimit.soon(stage::isCancelled);
        calls.assertCounted(0, 1);
    }

    @Test
    void aBodyThatBlocksBeforeItMakesTheStageIsInterrupted() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch blocking = new CountDownLatch(1);
        TestTimeLimit.Call call = TestTimeLimit.startThread(() -> calls.pipeline.callAsync(() -> {
            blocking.countDown();
            try {
                TestTimeLimit.blocked();
            } catch (InterruptedException ofTimeLimit) {
                interrupted.set(true);
            }
            return stage;
        }));
        TestTimeLimit.soon(() -> blocking.getCount() == 0);

        calls.timeIsOver();

        TestTimeLimit.Ended ended = call.end();
        assertExceeded((CompletableFuture<?>) ended.result(), "the call took longer than 5 s");
        assertThat(ended.interrupted()).isFalse();
        TestTimeLimit.soon(() -> interrupted.get() && stage.isCancelled());
        calls.assertCounted(0, 1);
    }

    @Test
    void theBodyIsStoppedThoughTheCallerIsBusyWithItsAnswer() {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        TestTimeLimit onWorkers = new TestTimeLimit(RunsOn.WORKER);
        CompletableFuture<Boolean> stoppedFirst = onWorkers
                .pipeline
                .callAsync(() -> {
                    begun.countDown();
                    try {
                        TestTimeLimit.blocked();
                    } catch (InterruptedException ofTimeLimit) {
                        interrupted.countDown();
                    }
                    return new CompletableFuture<>();
                })
                .handle((result, failure) -> {
                    TestTimeLimit.deaf(interrupted); // what the application does with the failure waits for the body
                    return true;
                });
        TestTimeLimit.deaf(begun);

        onWorkers.timeIsOver();

        assertThat(stoppedFirst).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
    }

    @Test
    void aBodyThatThrowsIsAFailedFuture() {
        AssertionError failure = new AssertionError();

        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            throw failure;
        });

        assertThatThrownBy(answer::get).cause().isSameAs(failure);
        calls.assertCounted(1, 0);
    }

    @Test
    void theBodyRunsWhereThePolicySays() {
        CompletableFuture<Thread> answer =
                calls.pipeline.callAsync(() -> CompletableFuture.completedFuture(Thread.currentThread()));

        assertThat(answer)
                .succeedsWithin(SOON)
                .satisfies(ran -> assertThat(ran == Thread.currentThread()).isEqualTo(thread == RunsOn.CALLER));
    }

    @Test
    void aWaitingStageHoldsNoWorker() {
        CompletableFuture<String> first = start();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);

        CompletableFuture<String> second = calls.pipeline.callAsync(() -> CompletableFuture.completedFuture("ok"));

        assertThat(second).succeedsWithin(SOON);
        stage.complete("ok");
        assertThat(first).succeedsWithin(SOON);
        calls.assertCounted(2, 0);
    }

    @Test
    void aCallThatFindsNoWorkerIsNotMadeWhenItsTimeIsOver() {
        if (thread == RunsOn.CALLER) {
            return;
        }
        CountDownLatch latch = new CountDownLatch(1);
        calls.startAndAwait(() -> {
            TestTimeLimit.deaf(latch);
            return "ok";
        });
        CompletableFuture<String> waiting = calls.pipeline.callAsync(() -> stage);
        CompletableFuture<String> cancelled = calls.pipeline.callAsync(() -> stage);
        cancelled.cancel(true);

        calls.timeIsOver();
        latch.countDown();

        assertExceeded(waiting, "no worker thread became free within 5 s");
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        assertThat(stage).isNotDone();
    }

    private CompletableFuture<String> start() {
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            asked.countDown();
            return stage;
        });
        TestTimeLimit.soon(() -> asked.getCount() == 0 && calls.limit.workers() == 0);
        return answer;
    }

    private static void assertExceeded(CompletableFuture<?> answer, String reason) {
        TestTimeLimit.soon(answer::isDone);
        assertThatThrownBy(answer::get)
                .cause()
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessage("Time limit 'orders' exceeded: " + reason);
    }
}
