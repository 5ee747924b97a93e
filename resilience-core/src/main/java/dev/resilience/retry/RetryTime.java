package dev.resilience.retry;

import dev.resilience.context.Deadline;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How much time a call has for its retries.
 *
 * @param start when it began; {@link Retry#NOT_MEASURED} where that is not known
 * @param deadline that of the call
 */
record RetryTime(
        RetryPolicy policy,
        TimeSource time,
        long start,
        @Nullable Deadline deadline) {

    /** Whether the deadline is over. */
    boolean isLate() {
        return deadline != null && deadline.isOver();
    }

    /** Why there is no time for another attempt after a wait; {@code null} if there is. */
    @Nullable
    RetryEnd whyTooLong(Duration wait, @Nullable Duration hint) {
        if (hint != null && hint.compareTo(policy.maxRetryAfter()) > 0) {
            return RetryEnd.HINT_TOO_LONG;
        }
        Duration limit = policy.maxDuration();
        if (limit != null && elapsed().plus(wait).compareTo(limit) > 0) {
            return RetryEnd.AFTER_MAX_DURATION;
        }
        if (deadline != null && !deadline.allows(wait)) {
            return RetryEnd.AFTER_DEADLINE;
        }
        return null;
    }

    /** How long the call has taken. */
    Duration elapsed() {
        return Duration.ofNanos(time.nanoTime() - start);
    }

    boolean isMeasured() {
        return start != Retry.NOT_MEASURED;
    }
}
