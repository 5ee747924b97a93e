package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.idempotency.jdbc.connection.ConnectionTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One change of one record, which never waits without a bound for a transaction that has the record locked: the client of
 * that transaction may be gone, and the server learn of it only after hours.
 */
public final class RecordChange {

    /** How long a change in a transaction waits for another one that has the record locked. */
    private static final String LONGEST_WAIT = "1s";

    /** How long one on a connection with auto-commit does: a renewal may be under way, which takes no longer. */
    private static final String SHORT_WAIT = "100ms";

    /** The same where the database waits for no lock. No {@code TimeSource} knows of the database's own wait either. */
    private static final long PAUSE_NANOS = 5_000_000;

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final NamedSql BOUND = new NamedSql("SELECT current_setting('lock_timeout')");
    private static final NamedSql SET_BOUND = new NamedSql("SELECT set_config('lock_timeout', :bound, true)");
    private static final String UNBOUNDED = "0";

    private final NamedSql lock;
    private final NamedSql change;
    private final @Nullable NamedSql changeUnlessLocked;
    private final boolean waitsForever;

    /**
     * @param change what is done, up to the condition: {@code DELETE FROM {table}}
     * @param condition which record it is done to, from {@code WHERE} on
     */
    public RecordChange(Dialect dialect, String table, String change, String condition) {
        String locked = "SELECT id FROM {table}" + condition + " FOR UPDATE SKIP LOCKED";
        this.lock = dialect.sql(locked, table);
        this.change = dialect.sql(change + condition, table);
        this.changeUnlessLocked =
                dialect.locksInSubqueries() ? dialect.sql(change + " WHERE id = (" + locked + ")", table) : null;
        this.waitsForever = dialect.waitsForeverForLocks();
    }

    /**
     * Changes the record, on a connection with auto-commit.
     *
     * @return false if there is no such record, or a transaction has it locked
     */
    public boolean unlessLocked(Connection connection, Map<String, ?> values) throws SQLException {
        return Races.repeated(() -> changeUnlessLocked != null
                ? changeUnlessLocked.update(connection, values) == 1
                : ConnectionTransactions.inTransaction(
                        connection, own -> lock.finds(own, values) && change.update(own, values) == 1));
    }

    /**
     * As {@link #unlessLocked}, and waits for the end of a change that takes a moment.
     */
    boolean unlessLockedForLong(Connection connection, Map<String, ?> values) throws SQLException {
        if (!waitsForever) {
            LockSupport.parkNanos(PAUSE_NANOS);
            return unlessLocked(connection, values);
        }
        try {
            return Races.repeated(() -> ConnectionTransactions.inTransaction(connection, own -> {
                SET_BOUND.finds(own, Map.of("bound", SHORT_WAIT));
                return change.update(own, values) == 1;
            }));
        } catch (SQLException failure) {
            if (LOCK_NOT_AVAILABLE.equals(failure.getSQLState())) {
                return false;
            }
            throw failure;
        }
    }

    /** Whether there is such a record, and no transaction has it locked. */
    boolean isFree(Connection connection, Map<String, ?> values) throws SQLException {
        return lock.finds(connection, values);
    }

    /** Whether {@link #unlessLockedForLong} has waited, so that asking again at once makes no sense. */
    boolean hasWaited() {
        return waitsForever;
    }

    /** As {@link #inTransaction}, in a transaction of its own on a connection with auto-commit. */
    public boolean inOwnTransaction(Connection connection, Map<String, ?> values) throws SQLException {
        return Races.repeated(
                () -> ConnectionTransactions.inTransaction(connection, own -> inTransaction(own, values)));
    }

    /**
     * Changes the record in the transaction of the connection, and waits for a moment for another one that has it locked,
     * such as a renewal. Fails if that takes longer.
     *
     * @return false if there is no such record
     */
    boolean inTransaction(Connection connection, Map<String, ?> values) throws SQLException {
        return (changeUnlessLocked != null && changeUnlessLocked.update(connection, values) == 1)
                || waiting(connection, values);
    }

    /** Other databases than PostgreSQL have a bound of their own unless it was taken away. */
    private boolean waiting(Connection connection, Map<String, ?> values) throws SQLException {
        if (!waitsForever || !UNBOUNDED.equals(BOUND.text(connection, Map.of()))) {
            return change.update(connection, values) == 1;
        }
        SET_BOUND.finds(connection, Map.of("bound", LONGEST_WAIT));
        boolean changed = change.update(connection, values) == 1;
        SET_BOUND.finds(connection, Map.of("bound", UNBOUNDED));
        return changed;
    }
}
