package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordLockedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/**
 * What an owner does to its record, and to no other's.
 *
 * @param isCompletion whether a record that the same owner has completed is an answer too
 */
record OwnerChange(
        RecordTable records, LeaseToken token, RecordChange change, Map<String, Object> values, boolean isCompletion) {

    /**
     * On a connection with auto-commit.
     *
     * @return false if the record is not the owner's any more
     * @throws RecordLockedException if a transaction has the record locked
     */
    boolean byItself(Connection connection) throws SQLException {
        boolean changed = change.unlessLocked(connection, values);
        for (int i = 0; !changed && i < Races.MOST_TRIES; i++) {
            ClaimStatus status = Races.repeated(() -> records.status(connection, token));
            if (status == ClaimStatus.COMPLETED || status == ClaimStatus.LOST) {
                return isCompletion && status == ClaimStatus.COMPLETED;
            }
            if (status == ClaimStatus.LOCKED && change.hasWaited() && i > 0) {
                break;
            }
            changed = change.unlessLockedForLong(connection, values);
        }
        if (changed) {
            return true;
        }
        throw new RecordLockedException("A transaction has an idempotency record locked");
    }

    /**
     * In a transaction; fails if another one has the record locked for long.
     *
     * @return false if the record is not the owner's any more, or is completed
     */
    boolean inTransaction(Connection connection) throws SQLException {
        return change.inTransaction(connection, values);
    }
}
