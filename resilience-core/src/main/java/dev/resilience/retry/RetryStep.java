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
 * Runs the rest of the pipeline, and runs it again where {@link RetryCall} says so. A call that succeeds at once costs
 * a counter and, where somebody wants to know how long calls take, one look at the clock.
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
        long start = retry.begin();
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            RetryCall call = newCall(start);
            return callAgain(invocation, call, null, failure, call.waitAfter(failure));
        }
        if (retry.asksForRetry(result)) {
            RetryCall call = newCall(start);
            return callAgain(invocation, call, result, null, call.waitAfterResult());
        }
        retry.calls().count(RetryOutcome.SUCCESS);
        return result;
    }

    private @Nullable Object callAgain(
            Invocation invocation,
            RetryCall call,
            @Nullable Object firstResult,
            @Nullable Throwable firstFailure,
            @Nullable Duration firstWait)
            throws Throwable {
        Object result = firstResult;
        Throwable failure = firstFailure;
        Duration wait = firstWait;
        while (wait != null && slept(wait, call) && call.mayTryAgain()) {
            try {
                result = next.call(invocation);
                failure = null;
                wait = retry.asksForRetry(result) ? call.waitAfterResult() : call.succeeded();
            } catch (Throwable again) {
                result = null;
                failure = again;
                wait = call.waitAfter(again);
            }
        }
        Throwable last = call.ended(failure);
        if (last != null) {
            throw last;
        }
        return result;
    }

    private boolean slept(Duration wait, RetryCall call) {
        try {
            retry.time().sleep(wait);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            call.interrupted();
            return false;
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        attempt(invocation, newCall(retry.begin()), answer);
        return answer;
    }

    private void attempt(Invocation invocation, RetryCall call, LinkedFuture answer) {
        answer.await(next, invocation, (result, failure) -> ended(invocation, call, answer, result, failure));
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
        Duration wait;
        if (failure != null) {
            wait = call.waitAfter(failure);
        } else {
            wait = retry.asksForRetry(result) ? call.waitAfterResult() : call.succeeded();
        }
        if (wait == null) {
            answer.finish(result, call.ended(failure));
            return;
        }
        Runnable again = () -> {
            if (answer.isDone()) {
                call.cancelled();
            } else if (call.mayTryAgain()) {
                attempt(invocation, call, answer);
            } else {
                answer.finish(result, call.ended(failure));
            }
        };
        answer.pause(retry.time(), wait, again, call::cancelled);
    }

    private RetryCall newCall(long start) {
        return new RetryCall(retry, transientStatuses, start);
    }
}
