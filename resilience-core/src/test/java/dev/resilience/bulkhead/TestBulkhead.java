package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A bulkhead on manual time, and calls through it that last as long as a test wants. */
final class TestBulkhead {

    static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(30);

    final ManualTimeSource time = new ManualTimeSource();
    final List<ResilienceEvent> events = Collections.synchronizedList(new ArrayList<>());
    final EventPublisher heard = new EventPublisher();
    final Bulkhead bulkhead;
    final Pipeline pipeline;

    TestBulkhead(int maxConcurrent, int maxQueue) {
        this(BulkheadPolicy.Type.SEMAPHORE, maxConcurrent, maxQueue);
    }

    TestBulkhead(BulkheadPolicy.Type type, int maxConcurrent, int maxQueue) {
        this(type, maxConcurrent, maxQueue, ContextCarrier.standard());
    }

    TestBulkhead(BulkheadPolicy.Type type, int maxConcurrent, int maxQueue, ContextCarrier carrier) {
        heard.add(events::add);
        this.bulkhead = new Bulkhead(
                "orders",
                BulkheadPolicy.builder()
                        .type(type)
                        .maxConcurrent(maxConcurrent)
                        .maxQueue(maxQueue)
                        .queueTimeout(QUEUE_TIMEOUT)
                        .build(),
                new Environment(time, heard, FaultClassification.ofJdk(), carrier));
        this.pipeline = Pipeline.of(bulkhead);
    }

    /** How a caller waits, and where its call runs. */
    enum Caller {
        BLOCKING(BulkheadPolicy.Type.SEMAPHORE),
        ASYNCHRONOUS(BulkheadPolicy.Type.SEMAPHORE),
        BLOCKING_FOR_POOL(BulkheadPolicy.Type.THREAD_POOL),
        ASYNCHRONOUS_FOR_POOL(BulkheadPolicy.Type.THREAD_POOL);

        final BulkheadPolicy.Type type;

        Caller(BulkheadPolicy.Type type) {
            this.type = type;
        }

        boolean isBlocking() {
            return this == BLOCKING || this == BLOCKING_FOR_POOL;
        }
    }

    /** Calls, and returns when the call runs, waits in line or has been refused. */
    Call start(Caller caller) {
        return start(pipeline, caller);
    }

    /** As {@link #start(Caller)}, through another bulkhead on the same time. */
    Call start(Bulkhead other, Caller caller) {
        return start(Pipeline.of(other), caller);
    }

    Call start(Pipeline through, Caller caller) {
        return caller.isBlocking() ? startBlocking(through) : startAsynchronous(through);
    }

    private Call startAsynchronous(Pipeline through) {
        CompletableFuture<String> body = new CompletableFuture<>();
        AtomicBoolean began = new AtomicBoolean();
        int queuedBefore = bulkhead.queued();
        CompletableFuture<String> answer = through.callAsync(() -> {
            began.set(true);
            return body;
        });
        soon(() -> through != pipeline || began.get() || answer.isDone() || bulkhead.queued() > queuedBefore);
        return new Call(body, answer, began, null);
    }

    private Call startBlocking(Pipeline through) {
        CompletableFuture<String> body = new CompletableFuture<>();
        AtomicBoolean began = new AtomicBoolean();
        int parkedBefore = time.parkedThreads();
        Call call = startThread(
                body,
                began,
                () -> through.call(() -> {
                    began.set(true);
                    return body.get();
                }));
        soon(() -> began.get() || call.answer.isDone() || time.parkedThreads() > parkedBefore);
        return call;
    }

    /** Works on a thread of its own. */
    static Call startThread(Callable<String> work) {
        return startThread(new CompletableFuture<>(), new AtomicBoolean(), work);
    }

    private static Call startThread(CompletableFuture<String> body, AtomicBoolean began, Callable<String> work) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(work.call());
            } catch (Throwable failure) {
                answer.completeExceptionally(
                        new Ended(failure, Thread.currentThread().isInterrupted()));
            }
        });
        thread.setDaemon(true);
        thread.start();
        return new Call(body, answer, began, thread);
    }

    /** How a blocking call failed, and whether its thread carried the interrupt flag then. */
    static final class Ended extends Exception {

        final boolean interrupted;

        Ended(Throwable failure, boolean interrupted) {
            super(failure);
            this.interrupted = interrupted;
        }
    }

    /** A call that lasts until the test ends it. */
    record Call(
            CompletableFuture<String> body,
            CompletableFuture<String> answer,
            AtomicBoolean began,
            @Nullable Thread thread) {

        boolean isRunning() {
            return began.get() && !answer.isDone();
        }

        void assertRunsSoon() {
            soon(this::isRunning);
        }

        void assertWaits() {
            assertThat(began).isFalse();
            assertThat(answer).isNotDone();
        }

        /** Lets the body return, and returns when the call has. */
        void end() {
            body.complete("ok");
            assertThat(answer).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("ok");
        }

        /** What the call was refused with. */
        Throwable refusal() {
            soon(answer::isDone);
            Throwable failure = answer.handle((result, thrown) -> thrown).join();
            assertThat(began).isFalse();
            return failure instanceof Ended ended ? ended.getCause() : failure;
        }
    }

    /** Blocks whatever happens, as native code does, until the latch is open. */
    static void deaf(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                // that is the point
            }
        }
    }

    void assertGauges(int running, int queued) {
        assertThat(bulkhead.running()).as("running").isEqualTo(running);
        assertThat(bulkhead.queued()).as("queued").isEqualTo(queued);
    }

    void assertCounted(long accepted, long rejected, long timedOut) {
        assertThat(new long[] {
                    bulkhead.calls().get(BulkheadOutcome.ACCEPTED),
                    bulkhead.calls().get(BulkheadOutcome.REJECTED),
                    bulkhead.calls().get(BulkheadOutcome.TIMED_OUT)
                })
                .as("accepted, rejected, timed out")
                .containsExactly(accepted, rejected, timedOut);
    }

    static void soon(Callable<Boolean> condition) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(condition);
    }
}
