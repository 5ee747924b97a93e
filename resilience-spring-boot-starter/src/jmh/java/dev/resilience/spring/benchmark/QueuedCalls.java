package dev.resilience.spring.benchmark;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.pipeline.Pipeline;
import io.github.resilience4j.bulkhead.ThreadPoolBulkhead;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadConfig;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * 10,000 asynchronous calls that wait for a permit of a bulkhead, for an hour at the most, while one call runs that never
 * ends. Resilience4j's thread pool bulkhead has a queue, but no longest wait, so its calls have no timers.
 */
public class QueuedCalls extends WaitingCalls {

    private static final int CALLS = 10_000;
    private static final int QUEUE = 2 * CALLS;
    private static final Duration WAIT = Duration.ofHours(1);
    private static final Supplier<CompletionStage<Object>> METHOD = CompletableFuture::new;

    private static Pipeline bulkhead(BulkheadPolicy.Type type) {
        return Pipeline.of(Resilience.create()
                .bulkhead(
                        "waiting",
                        BulkheadPolicy.builder()
                                .type(type)
                                .maxConcurrent(1)
                                .maxQueue(QUEUE)
                                .queueTimeout(WAIT)
                                .build()));
    }

    @Benchmark
    public Object pipeline(Held held) {
        Pipeline bulkhead = bulkhead(BulkheadPolicy.Type.SEMAPHORE);
        return held.by(CALLS, i -> bulkhead.callAsync(METHOD));
    }

    @Benchmark
    public Object pipelineWithPool(Held held) {
        Pipeline bulkhead = bulkhead(BulkheadPolicy.Type.THREAD_POOL);
        return held.by(CALLS, i -> bulkhead.callAsync(METHOD));
    }

    @Benchmark
    public Object resilience4j(Held held) {
        ThreadPoolBulkhead bulkhead = ThreadPoolBulkhead.of(
                "waiting",
                ThreadPoolBulkheadConfig.custom()
                        .coreThreadPoolSize(1)
                        .maxThreadPoolSize(1)
                        .queueCapacity(QUEUE)
                        .build());
        CountDownLatch never = new CountDownLatch(1);
        return held.by(
                CALLS,
                i -> bulkhead.executeCallable(() -> {
                    never.await();
                    return null;
                }));
    }

    @Benchmark
    public Object failsafe(Held held) {
        FailsafeExecutor<Object> bulkhead = Failsafe.with(
                dev.failsafe.Bulkhead.builder(1).withMaxWaitTime(WAIT).build());
        return held.by(CALLS, i -> bulkhead.getStageAsync(METHOD::get));
    }
}
