package dev.resilience.bulkhead;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Takes a place, runs the rest of the pipeline, and leaves the place however that ended. */
final class BulkheadStep extends Step {

    private final Bulkhead bulkhead;
    private final Places places;
    private final Step next;

    BulkheadStep(Bulkhead bulkhead, Step next) {
        this.bulkhead = bulkhead;
        this.places = bulkhead.places();
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        if (!places.tryTake()) {
            new WaitingThread(bulkhead).awaitPlace(); // throws without a place
        }
        try {
            return next.call(invocation);
        } finally {
            places.leave();
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        if (places.tryTake()) {
            run(invocation, answer);
        } else {
            new WaitingCall(bulkhead, answer, () -> run(invocation, answer)).standInLine();
        }
        return answer;
    }

    private void run(Invocation invocation, LinkedFuture answer) {
        answer.await(next, invocation, (result, failure) -> {
            places.leave();
            answer.finish(result, failure);
        });
    }
}
