package dev.resilience.retry;

import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline, and runs it again where {@link RetryCall} says so. A call that succeeds at once costs a
 * counter and, where somebody wants to know how long calls take, one look at the clock.
 */
final class RetryStep extends Step {

    private final Retry retry;
    private final Set<Integer> transientStatuses;
    private final Step next;

    RetryStep(Retry retry, Set<Integer> transientStatuses, Step next) {
        this.retry = retry;
        this.transientStatuses = transientStatuses;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        long start = retry.startNanos();
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            return callAgain(invocation, start, null, failure);
        }
        if (retry.asksForRetry(result)) {
            return callAgain(invocation, start, result, null);
        }
        retry.calls().count(RetryOutcome.SUCCESS);
        return result;
    }

    private @Nullable Object callAgain(
            Invocation invocation, long start, @Nullable Object firstResult, @Nullable Throwable firstFailure)
            throws Throwable {
        RetryCall call = new RetryCall(retry, transientStatuses, start);
        Object result = firstResult;
        Throwable failure = firstFailure;
        while (true) {
            Duration wait = call.waitAfter(result, failure);
            if (wait == null) {
                return call.end(result, failure);
            }
            try {
                retry.time().sleep(wait);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                call.interrupted();
                return call.end(result, failure);
            }
            call.retrying();
            try {
                result = next.call(invocation);
                failure = null;
            } catch (Throwable again) {
                result = null;
                failure = again;
            }
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        attempt(invocation, new RetryCall(retry, transientStatuses, retry.startNanos()), answer);
        return answer;
    }

    private void attempt(Invocation invocation, RetryCall call, LinkedFuture answer) {
        answer.await(next.callAsync(invocation), (result, failure) -> ended(invocation, call, answer, result, failure));
    }

    private void ended(
            Invocation invocation,
            RetryCall call,
            LinkedFuture answer,
            @Nullable Object result,
            @Nullable Throwable failure) {
        if (answer.isDone()) {
            call.cancelled();
            return;
        }
        Duration wait = call.waitAfter(result, failure);
        if (wait == null) {
            answer.finish(result, call.ended(failure));
            return;
        }
        Runnable again = () -> {
            call.retrying();
            attempt(invocation, call, answer);
        };
        answer.pause(retry.time(), wait, again, call::cancelled);
    }
}
