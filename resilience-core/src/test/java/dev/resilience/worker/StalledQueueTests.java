package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.concurrency.StubTime;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that block on the threads of their policy until other calls of the same policy have ended, which need these threads. */
@Timeout(60)
class StalledQueueTests {

    private final CapturedLog log = CapturedLog.of(StalledQueueLog.class);
    private final Looks time = new Looks();
    private final PolicyTimeSource one = new PolicyTimeSource("resilience-retry-orders-", time, 1);
    private final Retry retry = Retry.builder(
                    "orders",
                    RetryPolicy.builder()
                            .backoff(new Backoff(
                                    Backoff.Strategy.FIXED, Duration.ZERO, 1, Duration.ofSeconds(1), Jitter.NONE, 0))
                            .budget(RetryPolicy.NO_BUDGET)
                            .build())
            .timeSource(one)
            .build();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void areReportedOnce() {
        CompletableFuture<String> inner = new CompletableFuture<>();
        AtomicInteger attempts = new AtomicInteger();
        Pipeline pipeline = Pipeline.of(retry);
        CompletableFuture<String> outer = pipeline.callAsync(() -> {
            if (attempts.incrementAndGet() == 1) {
                return CompletableFuture.failedFuture(new ConnectException("refused"));
            }
            AtomicInteger innerAttempts = new AtomicInteger();
            CompletableFuture<String> call = pipeline.callAsync(() -> innerAttempts.incrementAndGet() == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("inner"));
            return CompletableFuture.completedFuture(
                    CompletableFuture.anyOf(call, inner).join().toString());
        });
        await().until(() -> one.queued() == 1 && time.hasLook());

        time.look();

        assertThat(log.events())
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("None of the 1 threads 'resilience-retry-orders-'", "1 asynchronous calls wait"));
        assertThat(time.hasLook()).isFalse();
        inner.complete("set free by the test");
        assertThat(outer).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("set free by the test");
    }

    @Test
    void areNotReportedWhileThreadsBecomeFree() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        one.schedule(Duration.ZERO, first::join);
        one.schedule(Duration.ZERO, second::join);
        one.schedule(Duration.ZERO, () -> {});
        await().until(() -> one.queued() == 2);

        first.complete("first");
        await().until(() -> one.queued() == 1);
        time.look();

        assertThat(log.events()).isEmpty();
        assertThat(time.hasLook()).isTrue();
        second.complete("second");
        await().until(() -> one.queued() == 0);
        time.look();
        assertThat(time.hasLook()).isFalse();
        assertThat(log.events()).isEmpty();
    }

    /** What is due runs on its executor at once; looks wait for the test. */
    private static final class Looks extends StubTime {

        private final List<Runnable> looks = new ArrayList<>();

        @Override
        public synchronized Scheduled schedule(Duration delay, Runnable task) {
            assertThat(delay).isEqualTo(StalledQueueLog.PATIENCE);
            looks.add(task);
            return () -> {};
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task, Executor executor) {
            executor.execute(task);
            return () -> {};
        }

        synchronized boolean hasLook() {
            return !looks.isEmpty();
        }

        void look() {
            Runnable look;
            synchronized (this) {
                look = looks.remove(0);
            }
            look.run();
        }
    }
}
