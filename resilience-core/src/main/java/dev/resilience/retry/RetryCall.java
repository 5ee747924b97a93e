package dev.resilience.retry;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.fault.Faults;
import dev.resilience.fault.HttpFailure;
import dev.resilience.pipeline.Attempt;
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
    private final long start;
    private final @Nullable Deadline deadline = Deadline.current();
    private final @Nullable Attempt outer;
    private final int maxAttempts;
    private final EarlierFailures earlierFailures = new EarlierFailures();
    private int attempts = 1;
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
        this.start = start;
        this.outer = outer;
        this.maxAttempts = retry.leavesRetryingTo(outer) ? 1 : policy.maxAttempts();
        this.previousWait = policy.backoff().baseDelay();
    }

    /** What the method sees of the attempt that is about to begin. */
    @Nullable
    Attempt attempt() {
        return attempts == 1 ? retry.firstAttempt(outer) : retry.attempt(attempts, outer);
    }

    /** Whether the first attempt runs or has just ended. */
    boolean isAtFirstAttempt() {
        return attempts == 1;
    }

    /** The attempt around this call, if somebody further out retries. */
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
        result = null;
        failure = failed;
        if (Faults.isInterrupt(failed)) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        if (!retry.isTransient(failed, transientStatuses)) {
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        return waitForNext(hint(failed));
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
            retry.firstAttemptFailed(outer);
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
        if (attempts >= maxAttempts) {
            return end(RetryOutcome.EXHAUSTED, "no attempts are left");
        }
        if (retry.time().isStopped()) {
            return end(RetryOutcome.INTERRUPTED, "");
        }
        String lost = retry.transactions().whyLost(failure);
        if (lost != null) {
            retry.log().transactionLost(lost);
            return end(RetryOutcome.NOT_RETRYABLE, "");
        }
        Duration backoff = retry.backoff(attempts - 1, previousWait);
        wait = hint == null ? backoff : Durations.max(backoff, hint);
        if (hint != null && hint.compareTo(policy.maxRetryAfter()) > 0) {
            return end(RetryOutcome.OUT_OF_TIME, "the server asks to wait longer than max-retry-after");
        }
        if (exceedsMaxDuration()) {
            return end(RetryOutcome.OUT_OF_TIME, "the next one would begin after max-duration");
        }
        if (deadline != null && !deadline.allows(wait)) {
            return end(RetryOutcome.OUT_OF_TIME, "the next one would begin after the deadline");
        }
        RetryBudget budget = retry.budget();
        if (budget != null) {
            reservation = budget.reserve(wait);
            if (reservation == null) {
                return end(RetryOutcome.BUDGET_EXHAUSTED, BUDGET_IS_EXHAUSTED);
            }
        }
        previousWait = backoff;
        announce(wait);
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
            granted = goesOn() && hasTime() && isWithinBudget();
        } finally {
            if (!granted) {
                giveBack();
            }
        }
        if (!granted) {
            return false;
        }
        if (failure != null) {
            earlierFailures.add(failure);
        }
        retry.countRetry();
        retry.log().retrying(attempts, maxAttempts, wait, failure);
        attempts++;
        return true;
    }

    private boolean goesOn() {
        if (retry.time().isStopped()) {
            interrupted();
            return false;
        }
        return true;
    }

    private boolean hasTime() {
        if (isLate()) { // the wait took longer than it should
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

    private @Nullable Duration hint(Throwable failed) {
        if (!policy.honorRetryAfter()) {
            return null;
        }
        HttpFailure answer = retry.faults().httpFailure(failed);
        if (answer == null || answer.retryAfter() == null) {
            return null;
        }
        return RetryAfter.parse(answer.retryAfter(), retry.time().now());
    }

    private boolean isLate() {
        return deadline != null && deadline.isOver();
    }

    private boolean exceedsMaxDuration() {
        Duration limit = policy.maxDuration();
        return limit != null && elapsed().plus(wait).compareTo(limit) > 0;
    }

    private Duration elapsed() {
        return Duration.ofNanos(retry.time().nanoTime() - start);
    }

    private void announce(Duration wait) {
        int attempt = attempts;
        Throwable failed = failure;
        retry.events()
                .publish(() -> new RetryScheduled(
                        retry.time().now(), retry.name(), attempt, policy.maxAttempts(), wait, failed));
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
        switch (outcome) {
            case SUCCESS -> retry.succeededAtOnce(outer); // which counts it
            case SUCCESS_AFTER_RETRY -> {
                retry.calls().count(outcome);
                retry.succeededAfterRetry();
                retry.log().recovered(attempts, maxAttempts);
            }
            case INTERRUPTED -> {
                retry.calls().count(outcome);
                retry.log().failed(outcome, attempts, maxAttempts, why, failure);
            }
            default -> {
                retry.calls().count(outcome);
                retry.failed(failure);
                retry.log().failed(outcome, attempts, maxAttempts, why, failure);
            }
        }
        publishEnd();
        if (failure != null) {
            earlierFailures.addTo(failure);
        }
    }

    /** A call that succeeded at once is not heard of, nor one whose start nobody wanted to know. */
    private void publishEnd() {
        RetryOutcome end = outcome;
        if (end != RetryOutcome.SUCCESS && start != Retry.NOT_MEASURED) {
            retry.events().publish(() -> new RetryFinished(retry.time().now(), retry.name(), end, attempts, elapsed()));
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
