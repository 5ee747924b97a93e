package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.deadletter.ExhaustedCalls;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.time.WaitStoppedException;
import dev.resilience.worker.Detached;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline, and runs it again where {@link RetryCall} says so. A call that succeeds at once costs
 * a counter, a note on the thread that it is being retried and, where a listener wants to know how long calls take, one
 * look at the clock.
 */
final class RetryStep extends Step {

    private final Retry retry;
    private final BooleanSupplier isIdempotent;
    private final Step next;
    private final @Nullable ExhaustedCalls exhausted;

    /**
     * @param isIdempotent whether the call of this thread may safely be repeated whatever happened
     */
    RetryStep(Retry retry, BooleanSupplier isIdempotent, Step next) {
        this(retry, isIdempotent, next, null);
    }

    private RetryStep(Retry retry, BooleanSupplier isIdempotent, Step next, @Nullable ExhaustedCalls exhausted) {
        this.retry = retry;
        this.isIdempotent = isIdempotent;
        this.next = next;
        this.exhausted = exhausted;
    }

    /** The same, which reports the calls that ran out of retries. */
    RetryStep telling(ExhaustedCalls calls) {
        return new RetryStep(retry, isIdempotent, next, calls);
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        AtomicReference<@Nullable Attempt> current = Attempt.ofThread();
        Attempt outer = current.getPlain();
        RetryRules rules = retry.rules();
        long start = retry.begin(rules.policy());
        Object begun = exhausted == null || outer != null ? null : exhausted.begins(invocation);
        Object result;
        try {
            result = attempt(invocation, current, retry.firstAttempt(rules.policy(), outer), outer);
        } catch (Throwable failure) {
            RetryCall call = newCall(rules, start, outer);
            return callAgain(invocation, begun, call, call.failed(failure));
        }
        if (rules.asksForRetry(result)) {
            RetryCall call = newCall(rules, start, outer);
            return callAgain(invocation, begun, call, call.wantsAnother(result));
        }
        retry.succeededAtOnce(outer);
        return result;
    }

    private @Nullable Object callAgain(
            Invocation invocation, @Nullable Object begun, RetryCall call, @Nullable Duration firstWait)
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
        if (exhausted != null) {
            tell(exhausted, invocation, begun, call);
        }
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
        } catch (WaitStoppedException applicationEnds) {
            call.stopped();
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            call.interrupted();
            return false;
        } catch (Throwable broken) { // a clock
            call.abandon();
            throw broken;
        }
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        RetryRules rules = retry.rules();
        RetryCall call = newCall(rules, retry.begin(rules.policy()), Attempt.current());
        if (exhausted == null) {
            return new AsyncRetry(next, invocation, call).start();
        }
        Object begun = call.outer() == null ? exhausted.begins(invocation) : null;
        CompletableFuture<@Nullable Object> answer = new AsyncRetry(next, invocation, call).start();
        return told(answer, () -> tell(exhausted, invocation, begun, call), call);
    }

    private static void tell(ExhaustedCalls exhausted, Invocation invocation, @Nullable Object begun, RetryCall call) {
        if (call.ranOut()) {
            exhausted.ranOut(invocation, begun, call.attempts(), call.failure());
        } else if (call.failure() != null) {
            exhausted.failedOtherwise(call.failure());
        }
    }

    /** On a thread of the policy: the one on which the last attempt has ended may be one that must not wait for a store. */
    private CompletableFuture<@Nullable Object> told(
            CompletableFuture<@Nullable Object> answer, Runnable tell, RetryCall call) {
        LinkedFuture told = new LinkedFuture();
        told.await(answer, (result, failure) -> {
            Runnable last = () -> {
                try {
                    tell.run();
                } finally {
                    told.finish(result, failure);
                }
            };
            if (call.ranOut()) {
                Detached.run(task -> retry.time().schedule(Duration.ZERO, task), last);
            } else {
                last.run();
            }
        });
        return told;
    }

    private RetryCall newCall(RetryRules rules, long start, @Nullable Attempt outer) {
        return new RetryCall(retry, rules, isIdempotent.getAsBoolean(), start, outer);
    }
}
