package dev.resilience.retry;

import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.fault.HttpFailure;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What one call needs to be retried: how often it was tried, what went wrong, and the decision whether to go on. Used by
 * one thread at a time.
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

    /** How long to wait before the next attempt, or {@code null} if the call has ended as the last attempt did. */
    @Nullable
    Duration waitAfter(@Nullable Object result, @Nullable Throwable failure) {
        RetryOutcome end = endBeforeWaiting(result, failure);
        if (end != null) {
            outcome = end;
            return null;
        }
        Duration backoff = policy.backoff()
                .delay(attempts - 1, previousWait, ThreadLocalRandom.current().nextDouble());
        Duration wait = backoff;
        Duration hint = failure == null ? null : hint(failure);
        if (hint != null) {
            wait = Durations.max(backoff, hint);
        }
        if ((hint != null && hint.compareTo(policy.maxRetryAfter()) > 0) || endsTooLate(wait)) {
            outcome = RetryOutcome.OUT_OF_TIME;
            return null;
        }
        RetryBudget budget = retry.budget();
        if (budget != null && !budget.tryAcquire()) {
            outcome = RetryOutcome.BUDGET_EXHAUSTED;
            return null;
        }
        previousWait = backoff;
        announce(wait, failure);
        return wait;
    }

    private @Nullable RetryOutcome endBeforeWaiting(@Nullable Object result, @Nullable Throwable failure) {
        if (failure == null && !retry.asksForRetry(result)) {
            return attempts == 1 ? RetryOutcome.SUCCESS : RetryOutcome.SUCCESS_AFTER_RETRY;
        }
        if (failure instanceof InterruptedException) {
            return RetryOutcome.INTERRUPTED;
        }
        if (failure != null && !retry.isTransient(failure, transientStatuses)) {
            return RetryOutcome.NOT_RETRYABLE;
        }
        return attempts >= policy.maxAttempts() ? RetryOutcome.EXHAUSTED : null;
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

    /** The wait is over and the next attempt begins. */
    void retrying() {
        attempts++;
        retry.countRetry();
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

    /** Ends the call as its last attempt did. */
    @Nullable
    Object end(@Nullable Object result, @Nullable Throwable failure) throws Throwable {
        Throwable last = ended(failure);
        if (last != null) {
            throw last;
        }
        return result;
    }

    /** Counts the call's outcome and returns its last failure with the earlier ones attached. */
    @Nullable
    Throwable ended(@Nullable Throwable failure) {
        retry.calls().count(outcome);
        if (outcome == RetryOutcome.SUCCESS_AFTER_RETRY) {
            retry.log().recovered(attempts);
        }
        if (attempts > 1) {
            RetryOutcome end = outcome;
            retry.events().publish(() -> new RetryFinished(retry.time().now(), retry.name(), end, attempts, elapsed()));
        }
        if (failure != null) {
            earlierFailures.forEach(earlier -> suppress(failure, earlier));
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
