package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TestTimeLimit.Ended;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerThreadTests {

    private final TestTimeLimit calls = new TestTimeLimit(RunsOn.WORKER, 2);

    @Test
    void theBodyRunsOnADaemonOfTheTimeLimit() throws Exception {
        Thread worker = calls.pipeline.call(Thread::currentThread);

        assertThat(worker).isNotSameAs(Thread.currentThread());
        assertThat(worker.getName()).startsWith("resilience-time-limit-orders-");
        assertThat(worker.isDaemon()).isTrue();
        calls.assertCounted(1, 0);
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
    }

    @Test
    void aVoidBodyIsInTimeToo() throws Exception {
        assertThat(calls.pipeline.<Object, Exception>call(() -> null)).isNull();

        calls.assertCounted(1, 0);
    }

    @Test
    void whatTheBodyThrowsIsThrown() {
        Throwable[] failures = {new IllegalStateException(), new AssertionError(), new InterruptedException()};
        for (Throwable failure : failures) {
            assertThatThrownBy(() -> calls.pipeline.call(() -> {
                        throw sneaky(failure);
                    }))
                    .isSameAs(failure);
        }
        calls.assertCounted(3, 0);
    }

    @Test
    void whatFollowsABodyThatWasInterruptedHasNoFlag() {
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<Boolean> flag = calls.pipeline
                .invokeAsync(() -> {
                    TestTimeLimit.deaf(latch);
                    throw new InterruptedException();
                })
                .handle((result, failure) -> Thread.currentThread().isInterrupted());

        latch.countDown();

        assertThat(flag).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
    }

    @Test
    void theCallerGetsItsExceptionOnTimeThoughTheBodyIgnoresInterrupts() {
        CountDownLatch latch = new CountDownLatch(1);
        Call call = calls.startAndAwait(() -> {
            TestTimeLimit.deaf(latch);
            return "too late";
        });

        calls.timeIsOver();

        Ended ended = call.end();
        assertThat(ended.failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessage("Time limit 'orders' exceeded: the call took longer than 5 s")
                .hasNoCause();
        assertThat(ended.interrupted()).isFalse();
        assertThat(calls.limit.workers())
                .as("a body that does not end is visible")
                .isEqualTo(1);
        calls.assertCounted(0, 1);

        latch.countDown();

        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        calls.assertCounted(0, 1);
    }

    @Test
    void theWorkerIsInterrupted() {
        AtomicBoolean interrupted = new AtomicBoolean();
        calls.startAndAwait(() -> {
            try {
                return TestTimeLimit.blocked();
            } catch (InterruptedException ofTimeLimit) {
                interrupted.set(true);
                throw ofTimeLimit;
            }
        });

        calls.timeIsOver();

        TestTimeLimit.soon(() -> interrupted.get() && calls.limit.workers() == 0);
    }

    @Test
    void aCallThatFindsNoWorkerWaitsForOne() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        List<Call> running = fill(latch);
        AtomicBoolean begun = new AtomicBoolean();
        Call waiting = calls.start(() -> {
            begun.set(true);
            return "ok";
        });
        TestTimeLimit.soon(() -> waiting.thread().getState() == Thread.State.WAITING);
        assertThat(begun).isFalse();
        assertThat(calls.limit.workers()).isEqualTo(2);

        latch.countDown();

        assertThat(waiting.end().result()).isEqualTo("ok");
        running.forEach(Call::end);
        calls.assertCounted(3, 0);
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
    }

    @Test
    void aCallThatFindsNoWorkerWithinItsTimeIsNeverMade() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        List<Call> running = fill(latch);
        AtomicBoolean begun = new AtomicBoolean();
        Call waiting = calls.start(() -> {
            begun.set(true);
            return "never";
        });
        TestTimeLimit.soon(() -> waiting.thread().getState() == Thread.State.WAITING);

        calls.timeIsOver();

        assertThat(waiting.end().failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessage("Time limit 'orders' exceeded: no worker thread became free within 5 s");
        running.forEach(Call::end);
        latch.countDown();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        assertThat(begun).isFalse();
        calls.assertCounted(0, 3);
    }

    @Test
    void workersAreUsedAgain() throws Exception {
        Thread first = calls.pipeline.call(Thread::currentThread);
        TestTimeLimit.soon(() -> first.getState() == Thread.State.TIMED_WAITING);

        assertThat(calls.pipeline.<Thread, Exception>call(Thread::currentThread))
                .isSameAs(first);
    }

    @Test
    void whenItIsClosedIdleWorkersGoAndCallsAreStillServed() throws Exception {
        Thread idle = calls.pipeline.call(Thread::currentThread);
        CountDownLatch latch = new CountDownLatch(1);
        AtomicReference<Thread> worker = new AtomicReference<>();
        Call running = calls.startAndAwait(() -> {
            worker.set(Thread.currentThread());
            TestTimeLimit.deaf(latch);
            return "still served";
        });

        calls.limit.close();
        latch.countDown();

        assertThat(running.end().result()).isEqualTo("still served");
        idle.join();
        TestTimeLimit.soon(() -> worker.get() != null && !worker.get().isAlive());
        assertThat(calls.pipeline.call(() -> "later too")).isEqualTo("later too");
        calls.assertCounted(3, 0);
    }

    private List<Call> fill(CountDownLatch latch) {
        List<Call> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(calls.startAndAwait(() -> {
                TestTimeLimit.deaf(latch);
                return "ok";
            }));
        }
        return running;
    }

    @SuppressWarnings("unchecked") // erased: thrown as it is
    private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
        throw (T) failure;
    }
}
