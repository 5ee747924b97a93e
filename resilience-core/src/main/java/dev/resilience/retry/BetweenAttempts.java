package dev.resilience.retry;

import dev.resilience.context.Deadline;
import dev.resilience.fault.EarlierFailures;
import dev.resilience.retry.RetryBudget.Reservation;
import dev.resilience.retry.RetryReports.End;
import dev.resilience.time.Durations;
import dev.resilience.worker.PolicyTimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a call keeps between two attempts: how the last one ended, what went wrong before, how long it waits for the next one,
 * and the retry that the budget reserves for that. Extended by the call, and not one of its objects, as hundreds of thousands
 * of calls may wait.
 */
abstract class BetweenAttempts {

    final Retry retry;
    final RetryRules rules;
    final long start;
    private @Nullable EarlierFailures earlierFailures;
    private @Nullable Object inHand;
    private boolean hasFailed;
    private boolean asksForRetry; // the result in hand does
    private long backoffNanos;
    private @Nullable Duration hint; // of the server, how long to wait
    private @Nullable Reservation reservation;

    /** @param start when the call began; {@link Retry#NOT_MEASURED} where that is not known */
    BetweenAttempts(Retry retry, RetryRules rules, long start) {
        this.retry = retry;
        this.rules = rules;
        this.start = start;
        this.backoffNanos = Durations.toNanos(policy().backoff().baseDelay());
    }

    final RetryPolicy policy() {
        return rules.policy();
    }

    /** What measures the call's waits. */
    final PolicyTimeSource clock() {
        return retry.time();
    }

    final void holdFailure(Throwable failed) {
        inHand = failed;
        hasFailed = true;
        asksForRetry = false;
    }

    final void holdResult(@Nullable Object returned, boolean asksForAnother) {
        inHand = returned;
        hasFailed = false;
        asksForRetry = asksForAnother;
    }

    /** Whether the result in hand asks for another attempt. */
    final boolean asksForRetry() {
        return asksForRetry;
    }

    /** Whether there is neither a failure nor a result that asks for another attempt, or that was closed. */
    final boolean isEmptyHanded() {
        return !hasFailed && !asksForRetry;
    }

    /**
     * What is in hand is not what the caller gets: keeps a failure to be suppressed, and closes a result. Before the next
     * attempt and not after it, because that may need what the result keeps, such as the only connection of a pool.
     */
    final void discard() {
        Throwable failure = failure();
        if (failure != null) {
            earlierFailures = EarlierFailures.with(failure, earlierFailures);
        } else if (asksForRetry && rules.close(inHand)) {
            holdResult(null, false);
        }
    }

    /** From now on the failure in hand carries the earlier ones. */
    final void suppressEarlierFailures() {
        Throwable failure = failure();
        if (failure != null && earlierFailures != null) {
            earlierFailures.addTo(failure);
        }
    }

    /** What the last attempt returned. */
    final @Nullable Object result() {
        return hasFailed ? null : inHand;
    }

    /** What the last attempt threw, if it did. */
    final @Nullable Throwable failure() {
        return hasFailed ? (Throwable) inHand : null;
    }

    /** Whether the deadline is over. Every thread that decides for the call has its deadline. */
    static boolean isLate() {
        Deadline deadline = Deadline.current();
        return deadline != null && deadline.isOver();
    }

    /**
     * Sees to it that there can be another attempt after a wait.
     *
     * @param attempts how many there were
     * @param hintOfServer how long it asks to wait, if it does
     * @return why there cannot be one; {@code null} if there can
     */
    final @Nullable End planNext(int attempts, @Nullable Duration hintOfServer) {
        hint = hintOfServer;
        backoffNanos = Durations.toNanos(rules.backoff(attempts, Duration.ofNanos(backoffNanos), failure(), result()));
        Duration wait = nextWait();
        End tooLong = whyTooLong(wait);
        if (tooLong != null) {
            return tooLong;
        }
        RetryBudget budget = retry.budget();
        if (budget == null) {
            return null;
        }
        reservation = budget.reserve(wait);
        return reservation == null ? End.BUDGET_EXHAUSTED : null;
    }

    private @Nullable End whyTooLong(Duration wait) {
        if (hint != null && hint.compareTo(policy().maxRetryAfter()) > 0) {
            return End.HINT_TOO_LONG;
        }
        Duration limit = policy().maxDuration();
        if (limit != null && elapsed().plus(wait).compareTo(limit) > 0) {
            return End.AFTER_MAX_DURATION;
        }
        Deadline deadline = Deadline.current();
        if (deadline != null && !deadline.allows(wait)) {
            return End.AFTER_DEADLINE;
        }
        return null;
    }

    private Duration elapsed() {
        return Duration.ofNanos(clock().nanoTime() - start);
    }

    /** How long the call waits for the attempt that is planned. */
    final Duration nextWait() {
        Duration backoff = Duration.ofNanos(backoffNanos);
        return hint == null ? backoff : Durations.max(backoff, hint);
    }

    /** The wait is over. Whether the budget, if there is one, grants the retry that was reserved. */
    final boolean useReservation() {
        Reservation reserved = reservation;
        boolean granted = reserved == null || reserved.use();
        reservation = null;
        return granted;
    }

    /** Lets others have the retry that was reserved for this call, if there is one. */
    final void giveBack() {
        Reservation unused = reservation;
        reservation = null;
        if (unused != null) {
            unused.giveBack();
        }
    }
}
