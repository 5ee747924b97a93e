package dev.resilience.bulkhead;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.OffloadedCall;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a permit, runs the rest of the pipeline here or in the pool, and releases the permit however that ended. A blocking
 * caller waits for its permit on its own thread in either case: a call in the queue needs none of the pool's.
 */
final class BulkheadStep extends Step {

    /** In place of how often the pool was stopped before a call that did not wait. */
    private static final int NOT_ASKED = -1;

    private final Bulkhead bulkhead;
    private final PermitQueue permits;
    private final Step next;

    BulkheadStep(Bulkhead bulkhead, Step next) {
        this.bulkhead = bulkhead;
        this.permits = bulkhead.permits();
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        int stops = NOT_ASKED;
        if (!permits.tryAcquire()) {
            stops = bulkhead.stops();
            new BlockingWaiter(bulkhead).awaitPermit(); // throws without a permit
        }
        BulkheadExecutor pool = bulkhead.pool();
        return pool == null ? callHere(invocation) : callIn(pool, stops, invocation);
    }

    private @Nullable Object callHere(Invocation invocation) throws Throwable {
        try {
            return next.call(invocation);
        } finally {
            permits.release();
        }
    }

    private @Nullable Object callIn(BulkheadExecutor pool, int stops, Invocation invocation) throws Throwable {
        int stopsBefore = stops == NOT_ASKED ? pool.stops() : stops; // what the carrier does may take long
        OffloadedCall call;
        try {
            call = new OffloadedCall(next, invocation, bulkhead.carrier(), permits::release);
            pool.execute(call, stopsBefore);
        } catch (Throwable notBegun) { // no thread, or a context that cannot be taken along
            permits.release();
            throw notBegun;
        }
        return Objects.requireNonNull(call.await()).get(); // it is never abandoned
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        BulkheadExecutor pool = bulkhead.pool();
        if (pool == null && permits.tryAcquire()) {
            answer.await(next, invocation, (result, failure) -> {
                permits.release();
                answer.finish(result, failure);
            });
        } else {
            new AsyncBulkheadCall(bulkhead, pool, next, invocation, answer).start();
        }
        return answer;
    }
}
