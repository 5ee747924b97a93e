package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.Retry.ExhaustedCalls;
import dev.resilience.retry.RetryCall.End;
import dev.resilience.retry.RetryCall.FirstAttempt;
import dev.resilience.retry.RetryCall.Phase;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline, and runs it again where {@link RetryCall} says so. A call that succeeds at once costs
 * a counter, a note on the thread that it is being retried and, where a listener wants to know how long calls take, one
 * look at the clock.
 */
final class RetryStep extends AsyncStep {

    private final Retry retry;
    private final BooleanSupplier isIdempotent;
    private final @Nullable ExhaustedCalls exhausted;

    /**
     * @param isIdempotent whether the call of this thread may safely be repeated whatever happened
     * @param exhausted gets the calls that ran out of retries
     */
    RetryStep(Retry retry, BooleanSupplier isIdempotent, Step next, @Nullable ExhaustedCalls exhausted) {
        super(next);
        this.retry = retry;
        this.isIdempotent = isIdempotent;
        this.exhausted = exhausted;
    }

    RetryStep reportingTo(ExhaustedCalls calls) {
        return new RetryStep(retry, isIdempotent, next, calls);
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        @Nullable Object[] slots = CallContext.ofThread();
        Attempt outer = (Attempt) slots[CallContext.ATTEMPT];
        RetryRules rules = retry.rules;
        long start = retry.begin(rules.policy());
        Object begun = begin(invocation, outer);
        Attempt first = retry.firstAttempt(rules.policy(), outer);
        Object result = null;
        Throwable failure = null;
        try {
            result = attempt(invocation, slots, first, outer);
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (failure == null && !rules.asksForRetry(result)) {
            retry.reports.succeededAtOnce(outer);
            return result;
        }
        RetryCall call = new RetryCall(
                retry, new FirstAttempt(rules, start, outer, begun), invocation, first, isIdempotent.getAsBoolean());
        return callAgain(invocation, call, failure == null ? call.onResult(result, true) : call.onFailure(failure));
    }

    private @Nullable Object begin(Invocation invocation, @Nullable Attempt outer) {
        return exhausted == null || outer != null ? null : exhausted.begins(invocation);
    }

    private @Nullable Object callAgain(Invocation invocation, RetryCall call, boolean isRetried) throws Throwable {
        boolean again = isRetried;
        while (again && slept(call) && call.mayTryAgain()) {
            try {
                Object result = attempt(invocation, CallContext.ofThread(), call.attempt(), call.outer);
                again = call.onResult(result, call.asksForRetry(result));
            } catch (Throwable failure) {
                again = call.onFailure(failure);
            }
        }
        call.ended();
        reportRanOut(invocation, call);
        if (call.failure() != null) {
            throw call.failure();
        }
        return call.result();
    }

    private @Nullable Object attempt(
            Invocation invocation, @Nullable Object[] slots, @Nullable Attempt attempt, @Nullable Attempt outer)
            throws Throwable {
        slots[CallContext.ATTEMPT] = attempt;
        try {
            return next.call(invocation);
        } finally {
            slots[CallContext.ATTEMPT] = outer;
        }
    }

    private boolean slept(RetryCall call) {
        try {
            return retry.waits.sleep(call.nextWait()) || call.endsBy(End.STOPPED);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return call.endsBy(End.INTERRUPTED);
        }
    }

    @Override
    protected Next enter(AsyncCall call) {
        RetryRules rules = retry.rules;
        Attempt outer = call.attempt();
        call.hold(new FirstAttempt(rules, retry.begin(rules.policy()), outer, begin(call.invocation(), outer)));
        call.attempt(retry.firstAttempt(rules.policy(), outer));
        return Next.INWARD;
    }

    /** An attempt of an asynchronous call has ended, or the wait for the next one, or the hop to where that is reported. */
    @Override
    protected Next exit(AsyncCall call) throws Throwable {
        Object held = Objects.requireNonNull(call.held());
        if (held instanceof FirstAttempt first) {
            return firstAttemptEnded(call, first);
        }
        RetryCall retried = (RetryCall) held;
        return switch (retried.phase) {
            case RUNS -> {
                call.attempt(retried.outer);
                retry.waits.remove(call);
                retried.hasEmitted(call.invocation().hasEmitted());
                yield attemptEnded(call, retried, isAnswered(call) && retried.asksForRetry(call.result()));
            }
            case WAITS -> waitEnded(call, retried);
            case HAS_ENDED -> report(call, retried);
        };
    }

    private Next firstAttemptEnded(AsyncCall call, FirstAttempt first) throws Throwable {
        Attempt firstAttempt = call.attempt();
        call.attempt(first.outer());
        boolean hasEmitted = call.invocation().hasEmitted();
        boolean asksForAnother =
                isAnswered(call) && !hasEmitted && first.rules().asksForRetry(call.result());
        if (isAnswered(call) && !asksForAnother) {
            retry.reports.succeededAtOnce(first.outer());
            return Next.OUTWARD;
        }
        RetryCall retried = new RetryCall(retry, first, call.invocation(), firstAttempt, isIdempotent.getAsBoolean());
        call.hold(retried);
        retried.hasEmitted(hasEmitted);
        return attemptEnded(call, retried, asksForAnother);
    }

    private static boolean isAnswered(AsyncCall call) {
        return call.failure() == null && !call.isOver();
    }

    private Next attemptEnded(AsyncCall call, RetryCall retried, boolean asksForAnother) throws Throwable {
        if (call.hasLeft()) {
            retried.leavesItsThread();
        }
        Throwable failure = call.failure();
        boolean again = !call.isOver()
                && (failure == null ? retried.onResult(call.result(), asksForAnother) : retried.onFailure(failure));
        if (!again) {
            return ended(call, retried);
        }
        retried.phase = Phase.WAITS;
        return retry.waits.pause(call, retried.nextWait());
    }

    private Next waitEnded(AsyncCall call, RetryCall retried) {
        if (call.isOver() || !retried.mayTryAgain()) {
            return ended(call, retried);
        }
        retried.phase = Phase.RUNS;
        retry.waits.add(call);
        call.attempt(retried.attempt());
        return Next.INWARD;
    }

    private Next ended(AsyncCall call, RetryCall retried) {
        if (call.isOver()) {
            retried.cancelled();
        } else {
            retried.ended();
        }
        retried.phase = Phase.HAS_ENDED;
        boolean mayBlock =
                exhausted != null && retried.ranOut(); // the thread may be one that must not wait for a store
        return mayBlock ? call.goOn(retry.waits::execute, Next.AGAIN) : report(call, retried);
    }

    private Next report(AsyncCall call, RetryCall retried) {
        reportRanOut(call.invocation(), retried);
        if (!call.isOver()) {
            call.end(retried.result(), retried.failure());
        }
        return Next.OUTWARD;
    }

    private void reportRanOut(Invocation invocation, RetryCall call) {
        if (exhausted == null) {
            return;
        }
        if (call.ranOut()) {
            exhausted.ranOut(invocation, call.begun, call.attempts(), call.failure());
        } else if (call.failure() != null) {
            exhausted.failedOtherwise(call.failure());
        }
    }
}
