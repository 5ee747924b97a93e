package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/** One version of a row of the table of records; times are microseconds of the database's clock. */
record StoredRecord(
        State state,
        String fingerprint,
        String owner,
        long fence,
        long validUntil,
        @Nullable StoredResult result) {

    enum State {
        RUNNING,
        COMPLETED,
        EXECUTED
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    StoredRecord until(long moment) {
        return new StoredRecord(state, fingerprint, owner, fence, moment, result);
    }

    StoredRecord completed(StoredResult with, long moment) {
        return new StoredRecord(State.COMPLETED, fingerprint, owner, fence, moment, with);
    }
}
