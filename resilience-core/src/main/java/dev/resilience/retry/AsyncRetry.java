package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.pipeline.AsyncDelay;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.AsyncBody;
import dev.resilience.worker.PolicyTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call that is retried. The first attempt runs on the caller's thread; each later one runs after a wait
 * without a thread, with what was bound to the caller's thread. Used by one thread at a time.
 */
final class AsyncRetry extends AsyncDelay implements BiConsumer<@Nullable Object, @Nullable Throwable> {

    private final Step next;
    private final Invocation invocation;
    private final RetryCall call;
    private @Nullable AsyncBody laterAttempt;

    AsyncRetry(Step next, Invocation invocation, RetryCall call) {
        super(new LinkedFuture());
        this.next = next;
        this.invocation = invocation;
        this.call = call;
    }

    CompletableFuture<@Nullable Object> start() {
        Attempt.makeCurrent(call.attempt());
        try {
            answer.await(next, invocation, this);
        } finally {
            Attempt.makeCurrent(call.outer());
            call.leavesItsThread();
        }
        return answer;
    }

    /** An attempt has ended. */
    @Override
    public void accept(@Nullable Object result, @Nullable Throwable failure) {
        AsyncBody ended = laterAttempt;
        if (ended != null) {
            laterAttempt = null;
            time().bodies().remove(ended);
        }
        Decision decision = new Decision();
        if (failure == null && call.isAtFirstAttempt()) {
            decide(result, null, decision); // the usual end, for which nothing of the caller's thread is put in place
        } else {
            answer.inCallersSurroundingsIfPossible(() -> decide(result, failure, decision));
        }
        if (decision.wait == null) {
            answer.finish(call.result(), call.failure());
        } else {
            waitFor(decision.wait);
        }
    }

    private void decide(@Nullable Object result, @Nullable Throwable failure, Decision decision) {
        if (answer.isOver()) {
            call.cancelled();
            return;
        }
        if (invocation.endAttempt()) {
            call.hasHandedOutResults();
        }
        decision.wait = failure == null ? call.returned(result) : call.failed(failure);
        if (decision.wait == null) {
            call.ended();
        }
    }

    /** Whether and how long to wait for another attempt. */
    private static final class Decision {

        private @Nullable Duration wait;
    }

    private void waitFor(Duration wait) {
        try {
            pause(wait);
        } catch (Throwable broken) { // a clock, or no thread for one
            call.abandon();
            throw broken;
        }
    }

    @Override
    protected PolicyTimeSource time() {
        return call.clock();
    }

    @Override
    protected void cancelled() {
        call.cancelled();
    }

    @Override
    protected void afterWait() {
        if (answer.isOver()) {
            call.cancelled();
        } else if (call.mayTryAgain()) {
            attemptAgain();
        } else {
            call.ended();
            answer.finish(call.result(), call.failure());
        }
    }

    private void attemptAgain() {
        AsyncBody body = new AsyncBody();
        laterAttempt = body;
        time().bodies().add(body);
        answer.cancelling(body::stop);
        if (!body.begin()) { // it was stopped meanwhile
            time().bodies().remove(body);
            call.cancelled();
            answer.finish(call.result(), call.failure());
            return;
        }
        CompletableFuture<@Nullable Object> stage;
        Attempt.makeCurrent(call.attempt());
        try {
            stage = body.run(next, invocation);
        } finally {
            Attempt.makeCurrent(call.outer());
        }
        answer.await(stage, this);
    }
}
