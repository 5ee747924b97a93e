package dev.resilience.idempotency.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an operator may see of a record: neither its key nor what it holds.
 *
 * @param operation the full name of the method
 * @param callerHash as {@link RecordKey#callerHash()}
 * @param left until the lease ends or the result is forgotten; {@code null} where neither will happen
 */
public record RecordSummary(
        String operation,
        String callerHash,
        State state,
        @Nullable Duration left) {

    /** Where a record stands. */
    public enum State {
        /** Its owner runs. */
        IN_PROGRESS,
        /** Its lease has run out: its owner died, or hangs. */
        ABANDONED,
        /** It has a result. */
        COMPLETED,
        /** An operator said that it was executed: it has no result and never runs again. */
        EXECUTED
    }
}
