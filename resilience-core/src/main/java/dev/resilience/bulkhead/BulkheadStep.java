package dev.resilience.bulkhead;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.OffloadedCall;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes a place, runs the rest of the pipeline here or in the pool, and leaves the place however that ended. A blocking
 * caller waits for its place on its own thread in either case: a call in line needs none of the pool's.
 */
final class BulkheadStep extends Step {

    /** In place of how often the pool was stopped before a call that did not wait. */
    private static final int NOT_ASKED = -1;

    private final Bulkhead bulkhead;
    private final PermitQueue places;
    private final Step next;

    BulkheadStep(Bulkhead bulkhead, Step next) {
        this.bulkhead = bulkhead;
        this.places = bulkhead.places();
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        int stops = NOT_ASKED;
        if (!places.tryTake()) {
            stops = bulkhead.stops();
            new BlockingWaiter(bulkhead).awaitPlace(); // throws without a place
        }
        BulkheadExecutor pool = bulkhead.pool();
        return pool == null ? callHere(invocation) : callIn(pool, stops, invocation);
    }

    private @Nullable Object callHere(Invocation invocation) throws Throwable {
        try {
            return next.call(invocation);
        } finally {
            places.leave();
        }
    }

    private @Nullable Object callIn(BulkheadExecutor pool, int stops, Invocation invocation) throws Throwable {
        int stopsBefore = stops == NOT_ASKED ? pool.stops() : stops; // what the carrier does may take long
        OffloadedCall call;
        try {
            call = new OffloadedCall(next, invocation, bulkhead.carrier(), places::leave);
            pool.execute(call, stopsBefore);
        } catch (Throwable notBegun) { // no thread, or a context that cannot be taken along
            places.leave();
            throw notBegun;
        }
        return Objects.requireNonNull(call.await()).get(); // nobody abandons it
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        BulkheadExecutor pool = bulkhead.pool();
        if (pool == null && places.tryTake()) {
            answer.await(next, invocation, (result, failure) -> {
                places.leave();
                answer.finish(result, failure);
            });
        } else {
            new AsyncBulkheadCall(bulkhead, pool, next, invocation, answer).start();
        }
        return answer;
    }
}
