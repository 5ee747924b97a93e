package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.concurrency.Effort;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers that leave and come at the same moment. Nobody gives up here, so a place that is free while somebody waits
 * for it stays so until the queue timeout, which fails the test.
 */
@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class HandOverTests {

    private static final int THREADS = 3;
    private static final int CALLS_EACH = Effort.of(5_000, 20_000);

    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    private final Bulkhead bulkhead;
    private final Pipeline pipeline;

    HandOverTests(BulkheadPolicy.Type type) {
        BulkheadPolicy policy = BulkheadPolicy.builder()
                .type(type)
                .maxConcurrent(1)
                .maxQueue(THREADS)
                .queueTimeout(Duration.ofSeconds(20))
                .build();
        this.bulkhead = Resilience.create().bulkhead("orders", policy);
        this.pipeline = Pipeline.of(bulkhead);
    }

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void losesNoPlaceBetweenBlockingCallers() throws Exception {
        allCall(() -> pipeline.call(() -> "ok"));
    }

    @Test
    void losesNoPlaceBetweenAsynchronousCallers() throws Exception {
        allCall(() -> pipeline.callAsync(() -> CompletableFuture.completedFuture("ok"))
                .get(20, TimeUnit.SECONDS));
    }

    private void allCall(Callable<String> call) throws Exception {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Callable<Void> caller = () -> {
            start.await();
            for (int i = 0; i < CALLS_EACH; i++) {
                assertThat(call.call()).isEqualTo("ok");
            }
            return null;
        };
        for (Future<Void> done : pool.invokeAll(Collections.nCopies(THREADS, caller))) {
            done.get();
        }
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.queued()).isZero();
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo((long) THREADS * CALLS_EACH);
    }
}
