package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.bulkhead.TestBulkhead.Ended;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers of a pool that give up while their call runs. */
@Timeout(60)
class StoppedInPoolTests {

    private final TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 10);
    private final CountDownLatch begun = new CountDownLatch(1);

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @Test
    void anInterruptOfTheCallerReachesTheBody() {
        Call call = startBlocked();

        call.thread().interrupt();

        assertThat(call.answer())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(Ended.class)
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(flagOfCaller(call)).isTrue();
        calls.assertGauges(0, 0);
    }

    @Test
    void aCallerThatIsInterruptedWaitsForWhatTheBodyMakesOfIt() {
        CountDownLatch latch = new CountDownLatch(1);
        Call call = TestBulkhead.startThread(() -> calls.pipeline.call(() -> {
            begun.countDown();
            TestBulkhead.deaf(latch);
            return "done all the same";
        }));
        TestBulkhead.deaf(begun);

        call.thread().interrupt();
        call.thread().interrupt();
        assertThat(call.answer()).isNotDone();
        calls.assertGauges(1, 0);

        latch.countDown();
        assertThat(call.answer()).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("done all the same");
    }

    @Test
    void aCallerThatCameInterruptedGivesItsFlagToTheBody() throws Exception {
        Thread.currentThread().interrupt();

        assertThat(calls.pipeline.call(() -> Thread.currentThread().isInterrupted()))
                .isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(calls.pipeline.call(() -> Thread.currentThread().isInterrupted()))
                .isFalse();
    }

    @Test
    void aCallerThatCameInterruptedInterruptsTheBodyOnce() throws Exception {
        Thread caller = Thread.currentThread();
        caller.interrupt();

        assertThat(calls.pipeline.call(() -> {
                    boolean once = Thread.interrupted();
                    soon(() -> caller.getState() == Thread.State.WAITING && !caller.isInterrupted());
                    return once && !Thread.currentThread().isInterrupted();
                }))
                .isTrue();
    }

    @Test
    void aSecondInterruptOfACallerThatCameInterruptedReachesTheBody() {
        AtomicBoolean first = new AtomicBoolean();
        Call call = TestBulkhead.startThread(() -> {
            Thread.currentThread().interrupt();
            return calls.pipeline.call(() -> {
                first.set(Thread.interrupted());
                begun.countDown();
                new CountDownLatch(1).await();
                return "never";
            });
        });
        TestBulkhead.deaf(begun);
        soon(() -> call.thread().getState() == Thread.State.WAITING
                && !call.thread().isInterrupted());

        call.thread().interrupt();

        assertThat(call.answer())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingRootCause()
                .isInstanceOf(InterruptedException.class);
        assertThat(first).isTrue();
        assertThat(flagOfCaller(call)).isTrue();
    }

    @Test
    void aCancellationInterruptsTheBodyThatMakesTheStage() {
        AtomicBoolean interrupted = new AtomicBoolean();
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ofCaller) {
                interrupted.set(true);
            }
            return new CompletableFuture<>();
        });
        TestBulkhead.deaf(begun);

        answer.cancel(true);

        soon(() -> interrupted.get() && calls.bulkhead.running() == 0);
        calls.assertCounted(1, 0, 0);
    }

    @Test
    void aCancellationCancelsTheStage() {
        Call call = calls.start(Caller.ASYNCHRONOUS);

        call.answer().cancel(true);

        soon(call.body()::isCancelled);
        soon(() -> calls.bulkhead.running() == 0);
    }

    @Test
    void aBodyThatIgnoresItKeepsItsPlaceAndItsStageIsCancelledWhenItIsThere() {
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            begun.countDown();
            TestBulkhead.deaf(latch);
            return stage;
        });
        TestBulkhead.deaf(begun);

        answer.cancel(true);

        calls.assertGauges(1, 0);
        assertThat(stage).isNotDone();
        latch.countDown();
        soon(stage::isCancelled);
        soon(() -> calls.bulkhead.running() == 0);
    }

    @Test
    void aCallThatIsCancelledBeforeItsThreadComesToItNeverRuns() {
        CountDownLatch latch = new CountDownLatch(1);
        TestBulkhead late = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 0, task -> () -> {
            TestBulkhead.deaf(latch); // the thread is on its way
            task.run();
        });
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<String> answer = late.pipeline.callAsync(() -> {
            ran.set(true);
            return new CompletableFuture<>();
        });
        late.assertGauges(1, 0);

        assertThat(answer.cancel(true)).isTrue();
        latch.countDown();

        soon(() -> late.bulkhead.running() == 0);
        assertThat(ran).isFalse();
        late.assertCounted(1, 0, 0);
    }

    @Test
    void noInterruptReachesTheThreadsNextCall() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            AtomicBoolean go = new AtomicBoolean();
            CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
                go.set(true);
                spin(ThreadLocalRandom.current().nextInt(50));
                return CompletableFuture.completedFuture("ok");
            });
            while (!go.get()) {
                Thread.onSpinWait();
            }
            spin(ThreadLocalRandom.current().nextInt(50));
            answer.cancel(true);
            assertThat(calls.pipeline.call(() -> Thread.currentThread().isInterrupted()))
                    .isFalse();
        }
        calls.assertGauges(0, 0);
        calls.assertCounted(6_000, 0, 0);
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    private Call startBlocked() {
        Call call = TestBulkhead.startThread(() -> calls.pipeline.call(() -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        }));
        TestBulkhead.deaf(begun);
        return call;
    }

    private static boolean flagOfCaller(Call call) {
        return call.answer()
                .handle((result, failure) -> ((Ended) failure).interrupted)
                .join();
    }
}
