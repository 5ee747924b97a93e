package dev.resilience.retry;

import dev.resilience.fault.EarlierFailures;
import org.jspecify.annotations.Nullable;

/**
 * What a call has in hand: what its last attempt returned or threw, and what went wrong before. Extended by the call, and
 * not one of its objects, as hundreds of thousands of calls may wait.
 */
abstract class LastAttempt {

    private @Nullable EarlierFailures earlierFailures;
    private @Nullable Object inHand;
    private boolean hasFailed;
    private boolean asksForRetry; // the result in hand does

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
    final void discard(RetryRules rules) {
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
}
