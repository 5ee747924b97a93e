package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.retry.RetryReports.End;
import dev.resilience.retry.RetryReports.EndedCall;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A call that may be retried: how often it was tried, and the decision whether to go on. Made on the thread of the caller;
 * used by one thread at a time.
 */
final class RetryCall extends BetweenAttempts {

    private final boolean isIdempotent;
    private final @Nullable Attempt outer;
    private @Nullable Thread thread = Thread.currentThread();
    private int attempts = 1;
    private boolean hasHandedOut; // a part of the result, to the caller
    private End end = End.SUCCESS;

    /**
     * @param outer the attempt around this call; where the policy leaves retrying to it, there is one attempt here
     */
    RetryCall(Retry retry, RetryRules rules, boolean isIdempotent, long start, @Nullable Attempt outer) {
        super(retry, rules, start);
        this.isIdempotent = isIdempotent;
        this.outer = outer;
    }

    private int maxAttempts() {
        return RetryRules.leavesRetryingTo(policy(), outer) ? 1 : policy().maxAttempts();
    }

    /** What the method sees of the attempt that is about to begin. */
    @Nullable
    Attempt attempt() {
        return attempts == 1 ? retry.firstAttempt(policy(), outer) : retry.attempt(attempts, outer);
    }

    /**
     * Attempts that end from now on may do so on any thread: what is bound to it, such as a transaction, is not the call's.
     */
    void leavesItsThread() {
        thread = null;
    }

    /** A part of the result has reached the caller: another attempt would hand it out a second time. */
    void hasHandedOutResults() {
        hasHandedOut = true;
    }

    /** Whether the first attempt runs or has just ended. */
    boolean isAtFirstAttempt() {
        return attempts == 1;
    }

    /** The attempt around this call, if an outer call is retried. */
    @Nullable
    Attempt outer() {
        return outer;
    }

    /** An attempt failed. How long to wait before the next one, or {@code null} if the call has ended so. */
    @Nullable
    Duration failed(Throwable failed) {
        if (failed instanceof DeadlineExceededException && isLate()) {
            return ranOutOfTime(failed);
        }
        firstAttemptEnded();
        holdFailure(failed);
        if (CompositeFaultClassifier.isInterrupt(failed)) {
            return end(End.INTERRUPTED);
        }
        if (!rules.isRetryable(failed, isIdempotent)) {
            return end(End.NOT_RETRYABLE);
        }
        return waitForNext(rules.hint(failed, clock()));
    }

    /**
     * An attempt returned. As {@link #failed}, if the result asks for another one; otherwise the call has ended. A result
     * that the caller has in parts, as a stream, is not at hand to be judged.
     */
    @Nullable
    Duration returned(@Nullable Object returned) {
        if (!hasHandedOut && rules.asksForRetry(returned)) {
            return wantsAnother(returned);
        }
        holdResult(returned, false);
        return end(attempts == 1 ? End.SUCCESS : End.SUCCESS_AFTER_RETRY);
    }

    /** An attempt returned something that asks for another one. As {@link #failed}. */
    @Nullable
    Duration wantsAnother(@Nullable Object returned) {
        firstAttemptEnded();
        holdResult(returned, true);
        return waitForNext(null);
    }

    private void firstAttemptEnded() {
        if (attempts == 1) {
            retry.counters().firstAttemptFailed(outer);
        }
    }

    /** The time ran out between the wait and the attempt, which was not made: what was in hand before remains so. */
    private @Nullable Duration ranOutOfTime(Throwable notMade) {
        if (attempts == 1 || isEmptyHanded()) {
            holdFailure(notMade);
        }
        return end(End.DEADLINE_OVER);
    }

    private @Nullable Duration waitForNext(@Nullable Duration hintOfServer) {
        if (hasHandedOut && !policy().retryAfterFirstElement()) {
            return end(End.NOT_RETRYABLE);
        }
        if (attempts >= maxAttempts()) {
            return end(End.NO_ATTEMPTS_LEFT);
        }
        String lost = whyTransactionLost();
        if (lost != null) {
            retry.log().transactionLost(lost);
            return end(End.NOT_RETRYABLE);
        }
        if (clock().isStopped()) {
            return end(End.STOPPED);
        }
        End whyNone = planNext(attempts, hintOfServer);
        if (whyNone != null) {
            return end(whyNone);
        }
        Duration wait = nextWait();
        retry.reports().scheduled(attempts, policy().maxAttempts(), wait, failure());
        return wait;
    }

    private @Nullable String whyTransactionLost() {
        return thread == Thread.currentThread() ? rules.whyTransactionLost(failure()) : null;
    }

    private @Nullable Duration end(End how) {
        end = how;
        return null;
    }

    /**
     * The wait is over and the next attempt is about to begin. Only now it is a retry that counts, because the budget
     * promises how many retries are made at a time, and many waits may end together.
     */
    boolean mayTryAgain() {
        boolean granted = false;
        try {
            granted = hasTime() && isWithinBudget();
        } finally {
            if (!granted) {
                giveBack();
            }
        }
        if (!granted) {
            return false;
        }
        discard();
        retry.counters().countRetry();
        retry.log().retrying(attempts, maxAttempts(), nextWait(), failure());
        attempts++;
        return true;
    }

    /** The wait may have taken longer than it should. */
    private boolean hasTime() {
        if (clock().isStopped()) {
            stopped();
            return false;
        }
        if (isLate()) {
            end(End.DEADLINE_OVER);
            return false;
        }
        return true;
    }

    private boolean isWithinBudget() {
        boolean granted = useReservation();
        if (!granted) {
            end(End.BUDGET_EXHAUSTED);
        }
        return granted;
    }

    /** The call ends in another way than by an attempt's end: lets go of what it holds. */
    void abandon() {
        giveBack();
        discard();
    }

    /** The thread was interrupted while it waited. */
    void interrupted() {
        end = End.INTERRUPTED;
    }

    /** The application ends while the call waits. */
    void stopped() {
        end = End.STOPPED;
    }

    /** The caller of an asynchronous method gave up, or the application ends. */
    void cancelled() {
        interrupted();
        ended();
        discard(); // the caller has gone
        if (isEmptyHanded()) { // or has not
            holdFailure(new CancellationException("Retry '" + retry.name() + "' was ended"));
        }
    }

    /** Counts the call's outcome, and lets go of what it did not use; from now on {@link #failure()} carries the earlier failures. */
    void ended() {
        giveBack();
        boolean isUndone = retry.deadLetters() != null && ranOut() && whyTransactionLost() != null;
        if (end == End.SUCCESS) {
            retry.succeededAtOnce(outer);
        } else {
            retry.reports().ended(new EndedCall(end, attempts, maxAttempts(), start, failure()));
        }
        if (asksForRetry() && policy().failWhenExhausted()) {
            discard();
            holdFailure(new RetryExhaustedException(retry.name(), attempts, end.why));
        }
        suppressEarlierFailures();
        if (isUndone) {
            end = End.NOT_RETRYABLE; // it is counted as what it was, and not kept
        }
    }

    /**
     * Whether the call could have been tried again, but attempts, budget or time ran out or the application ends, and neither
     * an outer call is retried, which may still succeed, nor is what the caller did undone with its transaction. Asked when
     * the call has ended.
     */
    boolean ranOut() {
        return outer == null
                && switch (end.outcome) {
                    case EXHAUSTED, BUDGET_EXHAUSTED, OUT_OF_TIME -> true;
                    default -> end == End.STOPPED;
                };
    }

    /** How many attempts have begun; the last one may have had no time to call the method. */
    int attempts() {
        return attempts;
    }
}
