package dev.resilience.retry;

import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.fault.Faults;
import dev.resilience.fault.HttpFailure;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one call needs to be retried: how often it was tried, what went wrong, and the decision whether to go on. Used
 * by one thread at a time.
 */
final class RetryCall {

    /** How many earlier failures the last one carries as suppressed. */
    private static final int MOST_SUPPRESSED = 10;

    private final Retry retry;
    private final RetryPolicy policy;
    private final Set<Integer> transientStatuses;
    private final long start;
    private final Deque<Throwable> earlierFailures = new ArrayDeque<>(2);
    private int attempts = 1;
    private Duration previousWait;
    private RetryOutcome outcome = RetryOutcome.SUCCESS;

    RetryCall(Retry retry, Set<Integer> transientStatuses, long start) {
        this.retry = retry;
        this.policy = retry.policy();
        this.transientStatuses = transientStatuses;
        this.start = start;
        this.previousWait = policy.backoff().baseDelay();
    }

    /** How long to wait before the next attempt, or {@code null} if the call has ended with this failure. */
    @Nullable
    Duration waitAfter(Throwable failure) {
        if (Faults.isInterrupt(failure)) {
            return end(RetryOutcome.INTERRUPTED);
        }
        if (!retry.isTransient(failure, transientStatuses)) {
            return end(RetryOutcome.NOT_RETRYABLE);
        }
        return waitForNext(failure, hint(failure));
    }

    /** As {@link #waitAfter}, after a result that asks for another attempt. */
    @Nullable
    Duration waitAfterResult() {
        return waitForNext(null, null);
    }

    /** The attempt succeeded: no wait follows. */
    @Nullable
    Duration succeeded() {
        return end(attempts == 1 ? RetryOutcome.SUCCESS : RetryOutcome.SUCCESS_AFTER_RETRY);
    }

    private @Nullable Duration waitForNext(@Nullable Throwable failure, @Nullable Duration hint) {
        if (attempts >= policy.maxAttempts()) {
            return end(RetryOutcome.EXHAUSTED);
        }
        Duration backoff = retry.backoff(attempts - 1, previousWait);
        Duration wait = hint == null ? backoff : Durations.max(backoff, hint);
        boolean hintTooLong = hint != null && hint.compareTo(policy.maxRetryAfter()) > 0;
        if (hintTooLong || endsTooLate(wait)) {
            return end(RetryOutcome.OUT_OF_TIME);
        }
        RetryBudget budget = retry.budget();
        if (budget != null && budget.available() == 0) {
            return end(RetryOutcome.BUDGET_EXHAUSTED); // the wait is spared; what counts is asked when it is over
        }
        previousWait = backoff;
        announce(wait, failure);
        return wait;
    }

    private @Nullable Duration end(RetryOutcome end) {
        outcome = end;
        return null;
    }

    /**
     * The wait is over and the next attempt is about to begin: takes it out of the budget. Only now, for the budget
     * promises how many retries are made at a time, and many waits may end together.
     */
    boolean mayTryAgain() {
        RetryBudget budget = retry.budget();
        if (budget != null && !budget.tryAcquire()) {
            outcome = RetryOutcome.BUDGET_EXHAUSTED;
            return false;
        }
        attempts++;
        retry.countRetry();
        return true;
    }

    private @Nullable Duration hint(Throwable failure) {
        if (!policy.honorRetryAfter()) {
            return null;
        }
        HttpFailure answer = retry.faults().httpFailure(failure);
        if (answer == null || answer.retryAfter() == null) {
            return null;
        }
        return RetryAfter.parse(answer.retryAfter(), retry.time().now());
    }

    private boolean endsTooLate(Duration wait) {
        Duration limit = policy.maxDuration();
        return limit != null && elapsed().plus(wait).compareTo(limit) > 0;
    }

    private Duration elapsed() {
        return Duration.ofNanos(retry.time().nanoTime() - start);
    }

    private void announce(Duration wait, @Nullable Throwable failure) {
        if (failure != null) {
            if (earlierFailures.size() == MOST_SUPPRESSED) {
                earlierFailures.removeFirst();
            }
            earlierFailures.addLast(failure);
        }
        int attempt = attempts;
        retry.log().retrying(attempt, wait, failure);
        retry.events()
                .publish(() -> new RetryScheduled(
                        retry.time().now(), retry.name(), attempt, policy.maxAttempts(), wait, failure));
    }

    /** The thread was interrupted while it waited. */
    void interrupted() {
        outcome = RetryOutcome.INTERRUPTED;
    }

    /** The caller of an asynchronous method gave up. */
    void cancelled() {
        outcome = RetryOutcome.INTERRUPTED;
        ended(null);
    }

    /** Counts the call's outcome and returns its last failure with the earlier ones attached. */
    @Nullable
    Throwable ended(@Nullable Throwable failure) {
        retry.calls().count(outcome);
        if (outcome == RetryOutcome.SUCCESS_AFTER_RETRY) {
            retry.log().recovered(attempts);
        }
        if (attempts > 1 && start != Retry.NOT_MEASURED) {
            RetryOutcome end = outcome;
            retry.events().publish(() -> new RetryFinished(retry.time().now(), retry.name(), end, attempts, elapsed()));
        }
        if (failure != null) {
            earlierFailures.forEach(earlier -> suppress(failure, earlier)); // the last one itself is left out there
        }
        return failure;
    }

    /** An exception that is thrown again and again, such as a constant, must not collect suppressed ones for ever. */
    private static void suppress(Throwable failure, Throwable earlier) {
        Throwable[] suppressed = failure.getSuppressed();
        if (earlier == failure || suppressed.length >= MOST_SUPPRESSED) {
            return;
        }
        for (Throwable known : suppressed) {
            if (known == earlier) {
                return;
            }
        }
        failure.addSuppressed(earlier);
    }
}
