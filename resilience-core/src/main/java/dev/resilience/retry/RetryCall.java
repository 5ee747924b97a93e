package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.EarlierFailures;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What one call needs to be retried: how often it was tried, how the last attempt ended, what went wrong before, and
 * the decision whether to go on. Made on the thread of the caller; used by one thread at a time.
 */
final class RetryCall {

    private static final String DEADLINE_IS_OVER = "the deadline is over";
    private static final String BUDGET_IS_EXHAUSTED = "the retry budget is exhausted";

    private final Retry retry;
    private final RetryRules rules;
    private final RetryPolicy policy;
    private final boolean isIdempotent;
    private final RetryTime time;
    private final @Nullable Attempt outer;
    private final int maxAttempts;
    private @Nullable EarlierFailures earlierFailures;
    private @Nullable Thread thread = Thread.currentThread();
    private int attempts = 1;
    private boolean hasHandedOut; // a part of the result, to the caller
    private Duration previousWait;
    private Duration wait = Duration.ZERO;
    private @Nullable RetryReservation reservation;
    private @Nullable Object result;
    private boolean asksForRetry; // the result in hand does
    private @Nullable Throwable failure;
    private RetryOutcome outcome = RetryOutcome.SUCCESS;
    private String why = "";

    /**
     * @param outer the attempt around this call; where the policy leaves retrying to it, there is one attempt here
     */
    RetryCall(Retry retry, RetryRules rules, boolean isIdempotent, long start, @Nullable Attempt outer) {
        this.retry = retry;
        this.rules = rules;
        this.policy = rules.policy();
        this.isIdempotent = isIdempotent;
        this.time = new RetryTime(policy, retry.time(), start, Deadline.current());
        this.outer = outer;
        this.maxAttempts = Retry.leavesRetryingTo(policy, outer) ? 1 : policy.maxAttempts();
        this.previousWait = policy.backoff().baseDelay();
    }

    /** What the method sees of the attempt that is about to begin. */
    @Nullable
    Attempt attempt() {
        return attempts == 1 ? retry.firstAttempt(policy, outer) : retry.attempt(attempts, outer);
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
        if (failed instanceof DeadlineExceededException && time.isLate()) {
            return ranOutOfTime(failed);
        }
        firstAttemptEnded();
        hold(null, failed, false);
        if (CompositeFaultClassifier.isInterrupt(failed)) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        if (!rules.isRetryable(failed, isIdempotent)) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        return waitForNext(rules.hint(failed, retry.time()));
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
        hold(returned, null, false);
        return end(attempts == 1 ? RetryOutcome.SUCCESS : RetryOutcome.SUCCESS_AFTER_RETRY, "");
    }

    /** An attempt returned something that asks for another one. As {@link #failed}. */
    @Nullable
    Duration wantsAnother(@Nullable Object returned) {
        firstAttemptEnded();
        hold(returned, null, true);
        return waitForNext(null);
    }

    private void hold(@Nullable Object returned, @Nullable Throwable failed, boolean isAnotherAskedFor) {
        result = returned;
        failure = failed;
        asksForRetry = isAnotherAskedFor;
    }

    private void firstAttemptEnded() {
        if (attempts == 1) {
            retry.counters().firstAttemptFailed(outer);
        }
    }

    /** The time ran out between the wait and the attempt, which was not made: what was in hand before remains so. */
    private @Nullable Duration ranOutOfTime(Throwable notMade) {
        if (attempts == 1 || (failure == null && !asksForRetry)) { // nothing is in hand, or it is closed
            failure = notMade;
        }
        return end(RetryOutcome.OUT_OF_TIME, DEADLINE_IS_OVER);
    }

    private @Nullable Duration waitForNext(@Nullable Duration hint) {
        if (hasHandedOut && !policy.retryAfterFirstElement()) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        if (attempts >= maxAttempts) {
            return end(RetryOutcome.EXHAUSTED, "no attempts are left");
        }
        if (retry.time().isStopped()) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        if (thread == Thread.currentThread() && rules.isTransactionLost(failure)) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        Duration backoff = rules.backoff(attempts, previousWait, failure, result);
        wait = hint == null ? backoff : Durations.max(backoff, hint);
        String tooLong = time.whyTooLong(wait, hint);
        if (tooLong != null) {
            return end(RetryOutcome.OUT_OF_TIME, tooLong);
        }
        RetryBudget budget = retry.budget();
        if (budget != null) {
            reservation = budget.reserve(wait);
            if (reservation == null) {
                return end(RetryOutcome.BUDGET_EXHAUSTED, BUDGET_IS_EXHAUSTED);
            }
        }
        previousWait = backoff;
        retry.reports().scheduled(attempts, policy.maxAttempts(), wait, failure);
        return wait;
    }

    private @Nullable Duration end(RetryOutcome end, String reason) {
        outcome = end;
        why = reason;
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
        retry.log().retrying(attempts, maxAttempts, wait, failure);
        attempts++;
        return true;
    }

    /** The wait may have taken longer than it should. */
    private boolean hasTime() {
        if (retry.time().isStopped()) {
            interrupted();
            return false;
        }
        if (time.isLate()) {
            end(RetryOutcome.OUT_OF_TIME, DEADLINE_IS_OVER);
            return false;
        }
        return true;
    }

    private boolean isWithinBudget() {
        RetryReservation reserved = reservation;
        boolean granted = reserved == null || reserved.use(); // without one where there is no budget
        reservation = null;
        if (!granted) {
            end(RetryOutcome.BUDGET_EXHAUSTED, BUDGET_IS_EXHAUSTED);
        }
        return granted;
    }

    /** Lets others have the retry that was reserved for this call, if there is one. */
    void giveBack() {
        RetryReservation unused = reservation;
        reservation = null;
        if (unused != null) {
            unused.giveBack();
        }
    }

    /** The call ends in another way than by an attempt's end: lets go of what it holds. */
    void abandon() {
        giveBack();
        discard();
    }

    /**
     * What is in hand is not what the caller gets: keeps a failure to be suppressed, and closes a result. Before the next
     * attempt and not after it, because that may need what the result keeps, such as the only connection of a pool.
     */
    private void discard() {
        if (failure != null) {
            earlierFailures = EarlierFailures.with(failure, earlierFailures);
        } else if (asksForRetry && rules.close(result)) {
            hold(null, null, false);
        }
    }

    /** The thread was interrupted while it waited, or the application ends. */
    void interrupted() {
        outcome = RetryOutcome.INTERRUPTED;
    }

    /** The caller of an asynchronous method gave up, or the application ends. */
    void cancelled() {
        outcome = RetryOutcome.INTERRUPTED;
        ended();
        discard(); // the caller has gone
        if (failure == null && !asksForRetry) { // or has not, and nothing is in hand: it was closed
            failure = new CancellationException("Retry '" + retry.name() + "' was ended");
        }
    }

    /** Counts the call's outcome, and lets go of what it did not use; from now on {@link #failure()} carries the earlier failures. */
    void ended() {
        giveBack();
        if (outcome == RetryOutcome.SUCCESS) {
            retry.succeededAtOnce(outer);
        } else {
            retry.reports().ended(new RetryReports.End(outcome, attempts, maxAttempts, why, failure), time);
        }
        if (asksForRetry && policy.failWhenExhausted()) {
            discard();
            hold(null, new RetryExhaustedException(retry.name(), attempts, why), false);
        }
        if (failure != null && earlierFailures != null) {
            earlierFailures.addTo(failure);
        }
    }

    /**
     * Whether the call could have been tried again, but attempts, budget or time ran out, and no outer call is retried, which
     * may still succeed. Asked when the call has ended.
     */
    boolean ranOut() {
        return outer == null
                && switch (outcome) {
                    case EXHAUSTED, BUDGET_EXHAUSTED, OUT_OF_TIME -> true;
                    default -> false;
                };
    }

    /** How often the method was called. */
    int attempts() {
        return attempts;
    }

    /** What the last attempt returned. */
    @Nullable
    Object result() {
        return result;
    }

    /** What the last attempt threw, if it did. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
