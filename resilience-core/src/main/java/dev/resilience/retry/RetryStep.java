package dev.resilience.retry;

import dev.resilience.pipeline.Attempt;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline, and runs it again where {@link RetryCall} says so. A call that succeeds at once costs
 * a counter, a note on the thread that it is being retried and, where somebody wants to know how long calls take, one
 * look at the clock.
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
        AtomicReference<@Nullable Attempt> current = Attempt.ofThread();
        Attempt outer = current.getPlain();
        long start = retry.begin();
        Object result;
        try {
            result = attempt(invocation, current, retry.firstAttempt(outer), outer);
        } catch (Throwable failure) {
            RetryCall call = newCall(start, outer);
            return callAgain(invocation, call, call.failed(failure));
        }
        if (retry.asksForRetry(result)) {
            RetryCall call = newCall(start, outer);
            return callAgain(invocation, call, call.wantsAnother(result));
        }
        retry.succeededAtOnce(outer);
        return result;
    }

    private @Nullable Object callAgain(Invocation invocation, RetryCall call, @Nullable Duration firstWait)
            throws Throwable {
        Duration wait = firstWait;
        while (wait != null && slept(wait, call) && call.mayTryAgain()) {
            try {
                wait = call.returned(attempt(invocation, Attempt.ofThread(), call.attempt(), call.outer()));
            } catch (Throwable failure) {
                wait = call.failed(failure);
            }
        }
        call.ended();
        if (call.failure() != null) {
            throw call.failure();
        }
        return call.result();
    }

    private @Nullable Object attempt(
            Invocation invocation,
            AtomicReference<@Nullable Attempt> current,
            @Nullable Attempt attempt,
            @Nullable Attempt outer)
            throws Throwable {
        current.setPlain(attempt);
        try {
            return next.call(invocation);
        } finally {
            current.setPlain(outer);
        }
    }

    private boolean slept(Duration wait, RetryCall call) {
        try {
            retry.time().sleep(wait);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            call.interrupted();
            return false;
        } catch (Throwable broken) { // a clock
            call.giveBack();
            throw broken;
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        Attempt outer = Attempt.current();
        attemptAsync(invocation, newCall(retry.begin(), outer), answer);
        return answer;
    }

    private void attemptAsync(Invocation invocation, RetryCall call, LinkedFuture answer) {
        Attempt.makeCurrent(call.attempt());
        try {
            answer.await(next, invocation, (result, failure) -> ended(invocation, call, answer, result, failure));
        } finally {
            Attempt.makeCurrent(call.outer());
        }
    }

    private void ended(
            Invocation invocation,
            RetryCall call,
            LinkedFuture answer,
            @Nullable Object result,
            @Nullable Throwable failure) {
        if (answer.isOver()) {
            call.cancelled();
            return;
        }
        Duration wait = failure == null ? call.returned(result) : call.failed(failure);
        if (wait == null) {
            finish(call, answer);
            return;
        }
        Runnable again = () -> {
            if (answer.isOver()) {
                call.cancelled();
            } else if (call.mayTryAgain()) {
                attemptAsync(invocation, call, answer);
            } else {
                finish(call, answer);
            }
        };
        try {
            answer.pause(retry.time(), wait, again, call::cancelled);
        } catch (Throwable broken) { // a clock, or no thread for one
            call.giveBack();
            throw broken;
        }
    }

    private static void finish(RetryCall call, LinkedFuture answer) {
        call.ended();
        answer.finish(call.result(), call.failure());
    }

    private RetryCall newCall(long start, @Nullable Attempt outer) {
        return new RetryCall(retry, transientStatuses, start, outer);
    }
}
