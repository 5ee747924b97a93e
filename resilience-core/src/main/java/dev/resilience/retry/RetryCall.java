package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.EarlierFailures;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one call needs to be retried: how often it was tried, how the last attempt ended, what went wrong before, and
 * the decision whether to go on. Made on the thread of the caller; used by one thread at a time.
 */
final class RetryCall {

    private static final String DEADLINE_IS_OVER = "the deadline is over";
    private static final String BUDGET_IS_EXHAUSTED = "the retry budget is exhausted";

    private final Retry retry;
    private final RetryPolicy policy;
    private final Set<Integer> transientStatuses;
    private final RetryTime time;
    private final @Nullable Attempt outer;
    private final int maxAttempts;
    private @Nullable EarlierFailures earlierFailures;
    private @Nullable Thread thread = Thread.currentThread();
    private int attempts = 1;
    private boolean mayRepeat = true;
    private Duration previousWait;
    private Duration wait = Duration.ZERO;
    private @Nullable RetryReservation reservation;
    private @Nullable Object result;
    private @Nullable Throwable failure;
    private RetryOutcome outcome = RetryOutcome.SUCCESS;
    private String why = "";

    /**
     * @param outer the attempt around this call; where the policy leaves retrying to it, there is one attempt here
     */
    RetryCall(Retry retry, Set<Integer> transientStatuses, long start, @Nullable Attempt outer) {
        this.retry = retry;
        this.policy = retry.policy();
        this.transientStatuses = transientStatuses;
        this.time = new RetryTime(policy, retry.time(), start, Deadline.current());
        this.outer = outer;
        this.maxAttempts = retry.leavesRetryingTo(outer) ? 1 : policy.maxAttempts();
        this.previousWait = policy.backoff().baseDelay();
    }

    /** What the method sees of the attempt that is about to begin. */
    @Nullable
    Attempt attempt() {
        return attempts == 1 ? retry.firstAttempt(outer) : retry.attempt(attempts, outer);
    }

    /**
     * Attempts that end from now on may do so on any thread: what is bound to it, such as a transaction, is not the call's.
     */
    void leavesItsThread() {
        thread = null;
    }

    /** A part of the result has reached the caller: another attempt would hand it out a second time. */
    void hasHandedOutResults() {
        mayRepeat = policy.retryAfterFirstElement();
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
        result = null;
        failure = failed;
        if (CompositeFaultClassifier.isInterrupt(failed)) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        if (!retry.rules().isTransient(failed, transientStatuses)) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        return waitForNext(retry.rules().hint(failed, retry.time()));
    }

    /** An attempt returned. As {@link #failed}, if the result asks for another one; otherwise the call has ended. */
    @Nullable
    Duration returned(@Nullable Object returned) {
        if (retry.asksForRetry(returned)) {
            return wantsAnother(returned);
        }
        result = returned;
        failure = null;
        return end(attempts == 1 ? RetryOutcome.SUCCESS : RetryOutcome.SUCCESS_AFTER_RETRY, "");
    }

    /** An attempt returned something that asks for another one. As {@link #failed}. */
    @Nullable
    Duration wantsAnother(@Nullable Object returned) {
        firstAttemptEnded();
        result = returned;
        failure = null;
        return waitForNext(null);
    }

    private void firstAttemptEnded() {
        if (attempts == 1) {
            retry.counters().firstAttemptFailed(outer);
        }
    }

    /** The time ran out between the wait and the attempt, which was not made: what was in hand before remains so. */
    private @Nullable Duration ranOutOfTime(Throwable notMade) {
        if (attempts == 1) {
            failure = notMade;
        }
        return end(RetryOutcome.OUT_OF_TIME, DEADLINE_IS_OVER);
    }

    private @Nullable Duration waitForNext(@Nullable Duration hint) {
        if (!mayRepeat) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        if (attempts >= maxAttempts) {
            return end(RetryOutcome.EXHAUSTED, "no attempts are left");
        }
        if (retry.time().isStopped()) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        if (thread == Thread.currentThread() && retry.rules().isTransactionLost(failure)) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        Duration backoff = retry.backoff(attempts - 1, previousWait);
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
        if (failure != null) {
            EarlierFailures earlier = earlierFailures == null ? new EarlierFailures() : earlierFailures;
            earlier.add(failure);
            earlierFailures = earlier;
        }
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
        RetryBudget budget = retry.budget();
        if (budget == null) {
            return true;
        }
        RetryReservation reserved = reservation;
        boolean granted = reserved == null ? budget.tryAcquire() : reserved.use();
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

    /** The thread was interrupted while it waited, or the application ends. */
    void interrupted() {
        outcome = RetryOutcome.INTERRUPTED;
    }

    /** The caller of an asynchronous method gave up, or the application ends. */
    void cancelled() {
        outcome = RetryOutcome.INTERRUPTED;
        ended();
    }

    /** Counts the call's outcome, and lets go of what it did not use; from now on {@link #failure()} carries the earlier failures. */
    void ended() {
        giveBack();
        if (outcome == RetryOutcome.SUCCESS) {
            retry.succeededAtOnce(outer);
        } else {
            retry.reports().ended(new RetryReports.End(outcome, attempts, maxAttempts, why, failure), time);
        }
        if (failure != null && earlierFailures != null) {
            earlierFailures.addTo(failure);
        }
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
