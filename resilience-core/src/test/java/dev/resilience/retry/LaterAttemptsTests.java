package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.WorkerThreads;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the attempts after the first one run, and how they end with the application. */
@Timeout(60)
class LaterAttemptsTests {

    private static final RetryPolicy SOON = RetryPolicy.builder()
            .backoff(RetryBench.fixed(Duration.ofMillis(1)))
            .budget(RetryPolicy.NO_BUDGET)
            .build();

    private final RetryBench bench = new RetryBench(CallStyle.SYNC);
    private final Retry manual = bench.retry(RetryBench.policy());

    /** More of them than all policies had threads for when they shared them. */
    @Test
    void thatBlockStopNoOtherPolicy() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Pipeline blocking = Pipeline.of(Resilience.create().retry("blocking", SOON));
        Pipeline quick = Pipeline.of(Resilience.create().retry("quick", SOON));
        AtomicInteger blocked = new AtomicInteger();
        List<CompletableFuture<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < WorkerThreads.MAX_THREADS + 1; i++) {
            AtomicInteger attempts = new AtomicInteger();
            calls.add(blocking.callAsync(() -> {
                if (attempts.incrementAndGet() == 1) {
                    return CompletableFuture.failedFuture(new ConnectException("refused"));
                }
                blocked.incrementAndGet();
                return CompletableFuture.completedFuture(awaitQuietly(end));
            }));
        }
        await().until(() -> blocked.get() >= WorkerThreads.MAX_THREADS);

        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Integer> answer = quick.callAsync(() -> attempts.incrementAndGet() == 1
                ? CompletableFuture.failedFuture(new ConnectException("refused"))
                : CompletableFuture.completedFuture(attempts.get()));

        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(2);
        end.countDown();
        assertThat(calls)
                .allSatisfy(call -> assertThat(call.get(30, TimeUnit.SECONDS)).isTrue());
    }

    @Test
    void runInThePoolInWhichTheFirstOneRan() throws Exception {
        Bulkhead pool = Resilience.create()
                .bulkhead(
                        "orders",
                        BulkheadPolicy.builder()
                                .type(BulkheadPolicy.Type.THREAD_POOL)
                                .maxConcurrent(1)
                                .build());
        List<String> threads = Collections.synchronizedList(new ArrayList<>());

        CompletableFuture<Object> answer = Pipeline.of(pool, Resilience.create().retry("orders", SOON))
                .callAsync(() -> {
                    threads.add(Thread.currentThread().getName());
                    return CompletableFuture.failedFuture(new ConnectException("refused"));
                });

        assertThat(answer).failsWithin(Duration.ofSeconds(30));
        assertThat(threads).hasSize(3).allMatch(name -> name.startsWith("resilience-bulkhead-orders-"));
        assertThat(pool.running()).isZero();
        pool.close();
    }

    @Test
    void thatWaitAreNotMadeWhenWaitsAreStopped() {
        CompletableFuture<Object> call = callAsync();

        manual.waits.stop();

        assertThat(call)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(ConnectException.class);
        RetryBench.assertCounted(manual, RetryOutcome.INTERRUPTED);
        assertThat(manual.attempts()).isZero();
    }

    @Test
    void areNotWaitedForWhileWaitsAreStopped() {
        List<ResilienceEvent> heard = new ArrayList<>();
        bench.events.add(heard::add);
        manual.waits.stop();

        assertThat(callAsync()).isCompletedExceptionally();
        assertThat(Pipeline.of(manual))
                .satisfies(pipeline -> assertThat(catchThrowable(() -> pipeline.call(() -> {
                            throw new ConnectException("refused");
                        })))
                        .isInstanceOf(ConnectException.class));

        assertThat(manual.calls().get(RetryOutcome.INTERRUPTED)).isEqualTo(2);
        assertThat(heard).hasSize(2).hasOnlyElementsOfType(RetryFinished.class); // and no wait is announced
        assertThat(bench.time.elapsed()).isZero();
    }

    @Test
    void areWaitedForAgainAfterwards() {
        manual.waits.stop();
        manual.waits.resume();

        assertThat(callAsync()).isNotDone();
    }

    @Test
    void endABlockingWaitThatIsStopped() {
        bench.time.schedule(Duration.ofMillis(500), manual.waits::stop);

        assertThat(catchThrowable(() -> Pipeline.of(manual).call(() -> {
                    throw new ConnectException("refused");
                })))
                .isInstanceOf(ConnectException.class);

        RetryBench.assertCounted(manual, RetryOutcome.INTERRUPTED);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void thatRunAreKnownAndCanBeStopped() {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Object> call = Pipeline.of(manual)
                .callAsync(() -> attempts.incrementAndGet() == 1
                        ? CompletableFuture.failedFuture(new ConnectException("refused"))
                        : stage);
        assertThat(manual.waits.hasWork()).isFalse();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(manual.waits.hasWork()).isTrue();

        manual.waits.stop();
        assertThat(call).isNotDone();
        manual.waits.stopRunning();

        assertThat(stage).isCancelled();
        assertThat(call).isCompletedExceptionally();
        assertThat(manual.waits.hasWork()).isFalse();
        assertThat(attempts).hasValue(2);
    }

    @Test
    void areInterruptedIfTheirCallerGivesUp() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Object> call = Pipeline.of(Resilience.create().retry("orders", SOON))
                .callAsync(() -> {
                    if (attempts.incrementAndGet() == 1) {
                        return CompletableFuture.failedFuture(new ConnectException("refused"));
                    }
                    begun.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException stopped) {
                        interrupted.complete(true);
                    }
                    return CompletableFuture.completedFuture("too late");
                });
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();

        call.cancel(true);

        assertThat(interrupted).succeedsWithin(Duration.ofSeconds(30));
    }

    private CompletableFuture<Object> callAsync() {
        return Pipeline.of(manual).callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
