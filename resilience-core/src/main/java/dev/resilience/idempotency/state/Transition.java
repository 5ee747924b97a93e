package dev.resilience.idempotency.state;

import dev.resilience.idempotency.store.StoredResult;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an event does to an idempotent call.
 *
 * @param result for work that needs one
 */
public record Transition(
        ExecutionState next, Work work, @Nullable StoredResult result) {

    /** What is to be done after the transition, by the thread that made it. */
    public enum Work {
        NOTHING,
        /** Ask the store what has become of the record, now or soon. */
        CHECK,

        // An attempt begins
        RUN,
        /** Listen to the transaction and lock the record in it; then run. */
        LOCK_AND_RUN,
        ANSWER,
        /** Look again, because the state is known now. */
        AGAIN,
        REFUSE_UNDECIDED,
        REFUSE_OVERTAKEN,
        REFUSE_LOST,

        // An attempt ends in a transaction that goes on
        LISTEN,
        WRITE,
        LISTEN_AND_WRITE,

        // Before the commit
        /** Make sure that the record is still the call's. */
        CONFIRM,
        RELEASE_IN_TRANSACTION,

        // At the end
        COMPLETE,
        RELEASE,
        COUNT_EXECUTED,
        COUNT_RELEASED
    }

    /** For work that writes or reads one. */
    public StoredResult neededResult() {
        return Objects.requireNonNull(result);
    }

    static Transition to(ExecutionState next, Work work) {
        return new Transition(next, work, null);
    }

    static Transition to(ExecutionState next, Work work, StoredResult result) {
        return new Transition(next, work, result);
    }
}
