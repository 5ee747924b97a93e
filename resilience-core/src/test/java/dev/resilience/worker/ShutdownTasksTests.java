package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.concurrency.StubTime;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShutdownTasksTests {

    private static final int MANY = 20_000;

    private final Threads time = new Threads();

    @Test
    void manyWaitsEndOnFewThreads() {
        PolicyTimeSource ofPolicy = new PolicyTimeSource("orders-", time, null);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < MANY; i++) {
            ofPolicy.schedule(Duration.ofHours(1), ended::incrementAndGet);
        }

        ofPolicy.stop();
        time.runThreads();

        assertThat(ended).hasValue(MANY);
        assertThat(time.begun).isLessThanOrEqualTo(4);
    }

    @Test
    void manyCallsLeaveTheLineOnFewThreads() {
        Bulkhead bulkhead = new Bulkhead(
                "orders",
                BulkheadPolicy.builder().maxConcurrent(1).maxQueue(MANY).build(),
                time,
                new EventPublisher(),
                ContextCarrier.standard());
        List<CompletableFuture<Object>> calls = new ArrayList<>();
        for (int i = 0; i < MANY + 1; i++) {
            calls.add(Pipeline.of(bulkhead).callAsync(CompletableFuture::new));
        }

        bulkhead.stopWaits();
        time.runThreads();

        assertThat(calls.subList(1, MANY + 1)).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(time.begun).isLessThanOrEqualTo(4);
    }

    @Test
    void oneThatFailsKeepsNoOtherFromEnding() {
        PolicyTimeSource ofPolicy = new PolicyTimeSource("orders-", time, null);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            ofPolicy.schedule(Duration.ofHours(1), () -> {
                ended.incrementAndGet();
                throw new AssertionError("of a test");
            });
        }

        ofPolicy.stop();
        time.runThreads();

        assertThat(ended).hasValue(10);
    }

    @Test
    void allEndIfTheSystemHasNoThreadLeft() {
        PolicyTimeSource ofPolicy = new PolicyTimeSource("orders-", time, null);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            ofPolicy.schedule(Duration.ofHours(1), ended::incrementAndGet);
        }
        time.left = 0;

        ofPolicy.stop();

        assertThat(ended).hasValue(10);
    }

    /** In real time: the others do not wait for those that block. */
    @Test
    void thoseThatBlockHoldUpNoOther() {
        PolicyTimeSource real = new PolicyTimeSource("orders-", TimeSource.system(), null);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            boolean blocks = i % 2 == 0;
            real.schedule(Duration.ofHours(1), () -> {
                if (blocks) {
                    awaitQuietly(end);
                }
                ended.incrementAndGet();
            });
        }

        real.stop();

        await().until(() -> ended.get() == 50);
        end.countDown();
        await().until(() -> ended.get() == 100);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its threads are counted, and run when they are told to. */
    private static final class Threads extends StubTime {

        private final List<Runnable> threads = new ArrayList<>();
        private int left = Integer.MAX_VALUE;
        private int begun;

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (!delay.isZero()) {
                return () -> {};
            }
            if (left-- == 0) {
                throw new AssertionError(
                        "unable to create native thread"); // JUnit itself would give up at an OutOfMemoryError
            }
            begun++;
            threads.add(task);
            return () -> {};
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
            return schedule(delay, task);
        }

        void runThreads() {
            threads.forEach(Runnable::run);
        }
    }
}
