package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.event.CallQueued;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From the moment when a call stands in line for the pool until it has ended, the pool has work. */
@Timeout(60)
class PoolHasWorkTests {

    private static final BulkheadPolicy SEMAPHORE =
            BulkheadPolicy.builder().maxConcurrent(1).maxQueue(5).build();
    private static final BulkheadPolicy THREAD_POOL = BulkheadPolicy.builder()
            .type(BulkheadPolicy.Type.THREAD_POOL)
            .maxConcurrent(1)
            .maxQueue(5)
            .build();

    private final TestBulkhead calls = new TestBulkhead(1, 5);

    @Test
    void whileAStageIsPendingWithoutAThread() {
        calls.bulkhead.reconfigure(THREAD_POOL);
        AtomicReference<Thread> worker = new AtomicReference<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            worker.set(Thread.currentThread());
            return stage;
        });
        soon(() -> worker.get() != null && worker.get().getState() == Thread.State.TIMED_WAITING);
        calls.bulkhead.reconfigure(SEMAPHORE);
        assertThat(calls.bulkhead.poolHasWork()).isTrue();

        stage.complete("ok");

        assertThat(answer).isCompletedWithValue("ok");
        assertThat(calls.bulkhead.poolHasWork()).isFalse();
    }

    @Test
    void whileABlockingCallIsInLine() {
        Call running = calls.start(Caller.BLOCKING); // not in the pool
        calls.bulkhead.reconfigure(THREAD_POOL);
        Call inLine = calls.start(Caller.BLOCKING_FOR_POOL);
        assertThat(calls.bulkhead.poolHasWork()).isTrue();

        calls.bulkhead.stopPool();

        assertThat(inLine.refusal()).hasMessageContaining("stopped");
        calls.assertGauges(1, 0);
        running.end();
        assertThat(calls.bulkhead.poolHasWork()).isFalse();
    }

    @Test
    void whileACallWithAPlaceIsOnItsWayToThePool() {
        CountDownLatch onItsWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        calls.heard.add(event -> {
            if (event instanceof CallQueued) {
                onItsWay.countDown();
                TestBulkhead.deaf(goOn);
            }
        });
        Call running = calls.start(Caller.BLOCKING); // not in the pool
        calls.bulkhead.reconfigure(THREAD_POOL);
        Call waiting = calls.start(Caller.BLOCKING_FOR_POOL);

        running.end();

        TestBulkhead.deaf(onItsWay);
        calls.assertGauges(1, 0);
        assertThat(calls.bulkhead.poolHasWork()).isTrue();
        goOn.countDown();
        waiting.assertRunsSoon();
        waiting.end();
        soon(() -> !calls.bulkhead.poolHasWork());
    }
}
