package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

@Timeout(60)
class ThreadPoolTests {

    private final TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 2, 0);

    @Test
    void runsABlockingCallOnADaemonOfItsOwn() throws Exception {
        Thread worker = calls.pipeline.call(Thread::currentThread);

        assertThat(worker).isNotSameAs(Thread.currentThread());
        assertThat(worker.getName()).startsWith("resilience-bulkhead-orders-");
        assertThat(worker.isDaemon()).isTrue();
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 0, 0);
    }

    @Test
    void runsTheBodyOfAnAsynchronousCallThereToo() throws Exception {
        AtomicReference<Thread> worker = new AtomicReference<>();

        assertThat(calls.pipeline.callAsync(() -> {
                    worker.set(Thread.currentThread());
                    return CompletableFuture.completedFuture("ok");
                }))
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo("ok");

        assertThat(worker.get().getName()).startsWith("resilience-bulkhead-orders-");
        calls.assertGauges(0, 0);
        calls.assertCounted(1, 0, 0);
    }

    @Test
    void letsAnAsynchronousCallerGoThoughTheBodyBlocks() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> {
            TestBulkhead.deaf(latch);
            return CompletableFuture.completedFuture("ok");
        });

        assertThat(answer).isNotDone();
        calls.assertGauges(1, 0);

        latch.countDown();
        assertThat(answer).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void throwsWhatTheBodyThrows() {
        Throwable[] failures = {new IOException("down"), new StackOverflowError(), new InterruptedException()};
        for (Throwable failure : failures) {
            assertThatThrownBy(() -> calls.pipeline.invoke(() -> {
                        throw failure;
                    }))
                    .isSameAs(failure);
            assertThat(calls.pipeline.invokeAsync(() -> {
                        throw failure;
                    }))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withCause(failure);
        }
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        calls.assertGauges(0, 0);
        calls.assertCounted(6, 0, 0);
    }

    @Test
    void whatFollowsABodyThatWasInterruptedHasNoFlag() {
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<Boolean> flag = calls.pipeline
                .invokeAsync(() -> {
                    TestBulkhead.deaf(latch);
                    throw new InterruptedException();
                })
                .handle((result, failure) -> Thread.currentThread().isInterrupted());

        latch.countDown();

        assertThat(flag).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
    }

    /** How a thread cannot be had: on these JDKs the one that is being made asks the one that makes it. */
    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    @EnabledForJreRange(max = JRE.JAVA_18)
    void aThreadThatCannotBeHadFailsTheCallAndCostsNoPlace(Caller caller) throws Exception {
        TestBulkhead noContext = new TestBulkhead(caller.type, 1, 0, task -> task);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread poor =
                new Thread(() -> failure.set(catchThrowable(() -> {
                    if (caller.isBlocking()) {
                        noContext.pipeline.call(() -> "never");
                    } else {
                        noContext
                                .pipeline
                                .callAsync(() -> CompletableFuture.completedFuture("never"))
                                .join();
                    }
                }))) {
                    @Override
                    public ClassLoader getContextClassLoader() {
                        throw new OutOfMemoryError("no thread");
                    }
                };

        poor.start();
        poor.join();

        assertThat(failure.get()).hasStackTraceContaining("no thread");
        noContext.assertGauges(0, 0);
        assertThat(noContext.bulkhead.poolHasWork()).isFalse();
        noContext.start(caller).end();
    }

    @Test
    void refusesWhatIsTooMuch() {
        calls.start(Caller.ASYNCHRONOUS);
        calls.start(Caller.BLOCKING);

        assertThat(calls.start(Caller.BLOCKING).refusal()).isInstanceOf(BulkheadFullException.class);
        assertThat(calls.start(Caller.ASYNCHRONOUS).refusal()).isInstanceOf(BulkheadFullException.class);

        calls.assertGauges(2, 0);
        calls.assertCounted(2, 2, 0);
    }

    @Test
    void holdsThePlaceUntilTheStageEndsAndTheThreadOnlyUntilThereIsOne() {
        List<Call> running = new ArrayList<>();
        TestBulkhead many = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 100, 0);
        for (int i = 0; i < 100; i++) {
            running.add(many.start(Caller.ASYNCHRONOUS));
        }
        many.assertGauges(100, 0);
        assertThat(many.start(Caller.ASYNCHRONOUS).refusal()).isInstanceOf(BulkheadFullException.class);

        running.forEach(Call::end);
        many.assertGauges(0, 0);
    }

    @Test
    void servesACallThatIsMadeWhenTheFutureOfAnotherEnds() {
        TestBulkhead single = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 0);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> inner = single.pipeline
                .callAsync(() -> {
                    TestBulkhead.deaf(begun);
                    return CompletableFuture.completedFuture("first");
                })
                .thenApply(first -> {
                    try {
                        return single.pipeline.call(() -> first + ", then second");
                    } catch (Exception failure) {
                        throw new AssertionError(failure);
                    }
                });
        begun.countDown();

        assertThat(inner).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("first, then second");
        single.assertGauges(0, 0);
    }

    @Test
    void usesItsThreadsAgain() throws Exception {
        Set<Thread> workers = new HashSet<>();
        TestBulkhead single = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 0);
        for (int i = 0; i < 2_000; i++) {
            workers.add(single.pipeline.call(Thread::currentThread));
        }

        assertThat(workers).hasSizeLessThan(200);
        single.assertCounted(2_000, 0, 0);
    }

    @Test
    void mayBeAsLargeAsAnIntCanBe() throws Exception {
        TestBulkhead huge = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, Integer.MAX_VALUE, Integer.MAX_VALUE);
        Call running = huge.start(Caller.ASYNCHRONOUS);

        assertThat(huge.pipeline.call(() -> "ok")).isEqualTo("ok");
        huge.bulkhead.reconfigure(BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.THREAD_POOL)
                .maxConcurrent(1)
                .maxQueue(Integer.MAX_VALUE)
                .build());
        huge.assertGauges(1, 0);

        running.end();
        huge.assertGauges(0, 0);
    }

    @Test
    void whenItIsClosedItInterruptsWhatRunsAndLetsItsThreadsGo() throws Exception {
        Thread idle = calls.pipeline.call(Thread::currentThread);
        AtomicReference<Thread> worker = new AtomicReference<>();
        Call running = TestBulkhead.startThread(() -> calls.pipeline.call(() -> {
            worker.set(Thread.currentThread());
            new CountDownLatch(1).await();
            return "never";
        }));
        soon(() -> worker.get() != null);

        calls.bulkhead.close();

        assertThat(running.refusal()).isInstanceOf(InterruptedException.class);
        idle.join();
        worker.get().join();
        assertThat(calls.pipeline.call(() -> "later too")).isEqualTo("later too");
        calls.assertGauges(0, 0);
    }
}
