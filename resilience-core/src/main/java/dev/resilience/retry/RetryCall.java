package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.fault.Causes;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.Retry.ExhaustedCalls;
import dev.resilience.retry.RetryReports.LastAttempt;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call whose first attempt did not simply succeed: how often it was tried, and the decision whether to go on. Made on the
 * thread of the caller, or on the one on which an asynchronous attempt ended; used by one thread at a time.
 */
final class RetryCall {

    /** What an asynchronous call is doing. */
    enum Phase {
        RUNS,
        WAITS,
        HAS_ENDED
    }

    /** How a call ended, and, if another attempt could have ended better, why none was made. */
    enum End {
        SUCCESS(RetryOutcome.SUCCESS, ""),
        SUCCESS_AFTER_RETRY(RetryOutcome.SUCCESS_AFTER_RETRY, ""),
        NOT_RETRYABLE(RetryOutcome.NOT_RETRYABLE, ""),
        INTERRUPTED(RetryOutcome.INTERRUPTED, ""),
        STOPPED(RetryOutcome.INTERRUPTED, "the application ends"),
        NO_ATTEMPTS_LEFT(RetryOutcome.EXHAUSTED, "no attempts are left"),
        BUDGET_EXHAUSTED(RetryOutcome.BUDGET_EXHAUSTED, "the retry budget is exhausted"),
        DEADLINE_OVER(RetryOutcome.OUT_OF_TIME, "the deadline is over"),
        HINT_TOO_LONG(RetryOutcome.OUT_OF_TIME, "the server asks to wait longer than max-retry-after"),
        AFTER_MAX_DURATION(RetryOutcome.OUT_OF_TIME, "the next one would begin after max-duration"),
        AFTER_DEADLINE(RetryOutcome.OUT_OF_TIME, "the next one would begin after the deadline");

        final RetryOutcome outcome;
        final String why;

        End(RetryOutcome outcome, String why) {
            this.outcome = outcome;
            this.why = why;
        }
    }

    /** The attempt around this call, if an outer call is retried; it may leave this call a single attempt. */
    final @Nullable Attempt outer;

    /** What {@link ExhaustedCalls#begins} made of the call. */
    final @Nullable Object begun;

    Phase phase = Phase.RUNS;

    private final Retry retry;
    private final RetryRules rules;
    private final long start;
    private final boolean isIdempotent;
    private final Invocation invocation;
    private final @Nullable Attempt first;
    private @Nullable Thread thread = Thread.currentThread();
    private int attempts = 1;
    private boolean hasEmitted; // a part of the result, to the caller
    private @Nullable Deque<Throwable> earlierFailures; // the last ones
    private @Nullable Object lastOutcome;
    private @Nullable Instant failedAt; // the last attempt
    private boolean hasFailed;
    private boolean asksForRetry; // the last result does
    private long backoffNanos;
    private @Nullable Duration hint; // of the server, how long to wait
    private End end = End.SUCCESS;

    /**
     * With what a call begins.
     *
     * @param start when that was; {@link Retry#NOT_MEASURED} where it is not known
     */
    record FirstAttempt(
            RetryRules rules,
            long start,
            @Nullable Attempt outer,
            @Nullable Object begun) {}

    /** @param first the attempt that has ended */
    RetryCall(
            Retry retry, FirstAttempt beginning, Invocation invocation, @Nullable Attempt first, boolean isIdempotent) {
        this.retry = retry;
        this.rules = beginning.rules;
        this.start = beginning.start;
        this.outer = beginning.outer;
        this.invocation = invocation;
        this.first = first;
        this.begun = beginning.begun;
        this.isIdempotent = isIdempotent;
        this.backoffNanos = Durations.toNanos(policy().backoff().baseDelay());
    }

    private RetryPolicy policy() {
        return rules.policy();
    }

    private int maxAttempts() {
        return RetryRules.leavesRetryingTo(policy(), outer) ? 1 : policy().maxAttempts();
    }

    /** What the method sees of the attempt that is about to begin. */
    Attempt attempt() {
        return Objects.requireNonNull(first).again(attempts); // there is none where nothing is tried again
    }

    /**
     * Attempts that end from now on may do so on any thread: what is bound to it, such as a transaction, is not the call's.
     */
    void leavesItsThread() {
        thread = null;
    }

    /** Whether a part of the result has reached the caller: another attempt would hand it out a second time. */
    void hasEmitted(boolean nowToo) {
        hasEmitted |= nowToo;
    }

    /** Whether a result asks for another attempt. One that the caller has in parts is not at hand to be judged. */
    boolean asksForRetry(@Nullable Object result) {
        return !hasEmitted && rules.asksForRetry(result);
    }

    /** An attempt failed. Whether another one follows, after {@link #nextWait()}; otherwise the call has ended. */
    boolean onFailure(Throwable failure) {
        if (failure instanceof DeadlineExceededException && isLate()) { // after the wait, and the attempt was not made
            if (!hasFailed && !asksForRetry) {
                record(failure, true, false);
            }
            return endsBy(End.DEADLINE_OVER);
        }
        firstAttemptEnded();
        record(failure, true, false);
        if (FaultClassification.isInterrupt(failure)) {
            return endsBy(End.INTERRUPTED);
        }
        failedAt = retry.reports.attemptFailed();
        return (rules.isRetryable(failure, isIdempotent) && invocation.mayRepeat(failure))
                ? mayWaitForNext(rules.hint(failure, retry.time))
                : endsBy(End.NOT_RETRYABLE);
    }

    /** An attempt returned. As {@link #onFailure}, if the result asks for another one; otherwise the call has ended. */
    boolean onResult(@Nullable Object result, boolean asksForAnother) {
        if (asksForAnother) {
            firstAttemptEnded();
            failedAt = retry.reports.attemptFailed();
        }
        record(result, false, asksForAnother);
        return asksForAnother ? mayWaitForNext(null) : endsBy(attempts == 1 ? End.SUCCESS : End.SUCCESS_AFTER_RETRY);
    }

    private void firstAttemptEnded() {
        if (attempts == 1) {
            retry.reports.firstAttemptFailed(outer);
        }
    }

    private boolean mayWaitForNext(@Nullable Duration hintOfServer) {
        if (hasEmitted && !policy().retryAfterFirstElement()) {
            return endsBy(End.NOT_RETRYABLE);
        }
        if (attempts >= maxAttempts()) {
            return endsBy(End.NO_ATTEMPTS_LEFT);
        }
        String lost = whyTransactionLost();
        if (lost != null) {
            retry.reports.transactionLost(lost);
            return endsBy(End.NOT_RETRYABLE);
        }
        if (retry.waits.isStopped()) {
            return endsBy(End.STOPPED);
        }
        hint = hintOfServer;
        backoffNanos = Durations.toNanos(rules.backoff(attempts, Duration.ofNanos(backoffNanos), failure(), result()));
        Duration wait = nextWait();
        End tooLong = whyTooLong(wait);
        if (tooLong != null) {
            return endsBy(tooLong);
        }
        RetryBudget budget = retry.budget();
        if (budget != null && !budget.tryAcquire()) {
            return endsBy(End.BUDGET_EXHAUSTED);
        }
        retry.reports.scheduled(attempts, maxAttempts(), wait, failure());
        return true;
    }

    private @Nullable End whyTooLong(Duration wait) {
        if (hint != null && hint.compareTo(policy().maxRetryAfter()) > 0) {
            return End.HINT_TOO_LONG;
        }
        Duration limit = policy().maxDuration();
        if (limit != null
                && Duration.ofNanos(retry.time.nanoTime() - start).plus(wait).compareTo(limit) > 0) {
            return End.AFTER_MAX_DURATION;
        }
        Deadline deadline = Deadline.current();
        return deadline != null && !deadline.allows(wait) ? End.AFTER_DEADLINE : null;
    }

    /** How long the call waits for the next attempt. */
    Duration nextWait() {
        Duration backoff = Duration.ofNanos(backoffNanos);
        return hint == null ? backoff : Durations.max(backoff, hint);
    }

    /** Whether the deadline is over. Every thread that decides for the call has its deadline. */
    private static boolean isLate() {
        Deadline deadline = Deadline.current();
        return deadline != null && deadline.isOver();
    }

    private @Nullable String whyTransactionLost() {
        return thread == Thread.currentThread() ? rules.whyTransactionLost(failure()) : null;
    }

    /** The call ends so, in place of another attempt: the answer is no. */
    boolean endsBy(End how) {
        end = how;
        return false;
    }

    /** The wait is over and the next attempt is about to begin, unless the wait took longer than it should. */
    boolean mayTryAgain() {
        if (retry.waits.isStopped() || isLate()) {
            return endsBy(retry.waits.isStopped() ? End.STOPPED : End.DEADLINE_OVER);
        }
        discard();
        retry.reports.retrying(lastAttempt(), nextWait());
        attempts++;
        return true;
    }

    /** The caller of an asynchronous method gave up, or the application ends. */
    void cancelled() {
        end = End.INTERRUPTED;
        ended();
        discard(); // the caller has gone
    }

    private LastAttempt lastAttempt() {
        return new LastAttempt(attempts, maxAttempts(), failure(), failedAt);
    }

    /** Counts the call's outcome; from now on {@link #failure()} carries the earlier failures. */
    void ended() {
        boolean isUndone = policy().deadLetter() && ranOut() && whyTransactionLost() != null;
        if (end == End.SUCCESS) {
            retry.reports.succeededAtOnce(outer);
        } else {
            retry.reports.ended(end, lastAttempt(), start);
        }
        if (asksForRetry && policy().failWhenExhausted()) {
            discard();
            record(new RetryExhaustedException(retry.name(), attempts, end.why), true, false);
        }
        Throwable failure = failure();
        if (failure != null && earlierFailures != null) {
            earlierFailures.forEach(earlier -> Causes.suppress(failure, earlier));
        }
        boolean hasGivenUp = !end.why.isEmpty() && end != End.STOPPED; // another instance may go on
        if (failure != null && hasGivenUp && maxAttempts() > 1) { // one attempt leaves retrying to the caller
            rules.parts.faults().giveUp(failure);
        }
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
        return outer == null && !end.why.isEmpty();
    }

    /** How many attempts have begun; the last one may have had no time to call the method. */
    int attempts() {
        return attempts;
    }

    private void record(@Nullable Object outcome, boolean isFailure, boolean asksForAnother) {
        lastOutcome = outcome;
        hasFailed = isFailure;
        asksForRetry = asksForAnother;
    }

    /**
     * The last outcome is not what the caller gets: keeps a failure to be suppressed, and closes a result. Before the next
     * attempt and not after it, because that may need what the result keeps, such as the only connection of a pool.
     */
    private void discard() {
        Throwable failure = failure();
        if (failure != null) {
            earlierFailures = earlierFailures == null ? new ArrayDeque<>(2) : earlierFailures;
            if (earlierFailures.size() == Causes.MAX_SUPPRESSED) {
                earlierFailures.removeFirst();
            }
            earlierFailures.addLast(failure);
        } else if (asksForRetry && rules.close(lastOutcome)) {
            record(null, false, false);
        }
    }

    /** What the last attempt returned. */
    @Nullable
    Object result() {
        return hasFailed ? null : lastOutcome;
    }

    /** What the last attempt threw, if it did. */
    @Nullable
    Throwable failure() {
        return hasFailed ? (Throwable) lastOutcome : null;
    }
}
