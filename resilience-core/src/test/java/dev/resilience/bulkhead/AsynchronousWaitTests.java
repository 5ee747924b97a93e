package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AsynchronousWaitTests {

    @Test
    void holdsNoThread() {
        TestBulkhead calls = new TestBulkhead(1, 1_000);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        int threads = Thread.activeCount();

        for (int i = 0; i < 1_000; i++) {
            calls.start(Caller.ASYNCHRONOUS).assertWaits();
        }

        calls.assertGauges(1, 1_000);
        assertThat(calls.time.parkedThreads()).isZero();
        assertThat(Thread.activeCount()).isLessThan(threads + 100);
        assertThat(running.isRunning()).isTrue();
    }

    @Test
    void endsForOneAfterTheOtherOnSystemTime() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead(
                        "orders",
                        BulkheadPolicy.builder()
                                .maxConcurrent(1)
                                .maxQueue(10_000)
                                .build());
        Pipeline pipeline = Pipeline.of(bulkhead);
        CompletableFuture<String> running = new CompletableFuture<>();
        pipeline.callAsync(() -> running);
        List<CompletableFuture<Integer>> line = new ArrayList<>();
        List<Integer> order = new ArrayList<>(); // guarded by the one place
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            line.add(pipeline.callAsync(() -> {
                order.add(number);
                return CompletableFuture.completedFuture(number);
            }));
        }

        running.complete("ok");

        assertThat(CompletableFuture.allOf(line.toArray(CompletableFuture[]::new)))
                .succeedsWithin(Duration.ofSeconds(30));
        assertThat(order).hasSize(10_000).isSorted();
        soon(() -> bulkhead.running() == 0);
        assertThat(bulkhead.queued()).isZero();
    }

    @Test
    void endsForOneAfterTheOtherOnManualTime() {
        TestBulkhead calls = new TestBulkhead(1, 2_000);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        for (int i = 0; i < 2_000; i++) {
            calls.pipeline.callAsync(() -> CompletableFuture.completedFuture("ok"));
        }

        running.end();

        calls.assertGauges(0, 0);
        calls.assertCounted(2_001, 0, 0);
    }

    @Test
    void goesOnOnAnotherThreadThanTheOneThatGaveThePlace() {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead("orders", BulkheadPolicy.builder().maxConcurrent(1).build());
        Pipeline pipeline = Pipeline.of(bulkhead);
        CompletableFuture<String> running = new CompletableFuture<>();
        AtomicReference<Thread> ranOn = new AtomicReference<>();
        pipeline.callAsync(() -> running);
        CompletableFuture<String> waiting = pipeline.callAsync(() -> {
            ranOn.set(Thread.currentThread());
            return CompletableFuture.completedFuture("ok");
        });

        running.complete("ok");

        assertThat(waiting).succeedsWithin(Duration.ofSeconds(30));
        assertThat(ranOn.get()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void endsWithTheBodysOwnFailureThoughItThrowsBeforeItReturns() {
        TestBulkhead calls = new TestBulkhead(1, 1);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        StackOverflowError failure = new StackOverflowError();
        CompletableFuture<String> waiting = calls.pipeline.callAsync(() -> {
            throw failure;
        });

        running.end();

        assertThat(waiting.handle((result, thrown) -> thrown)).isCompletedWithValue(failure);
        calls.assertGauges(0, 0);
        calls.assertCounted(2, 0, 0);
    }
}
