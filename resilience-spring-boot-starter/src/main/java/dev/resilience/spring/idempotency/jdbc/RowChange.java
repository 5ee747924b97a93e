package dev.resilience.spring.idempotency.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One change of one row, which never waits without a bound for a transaction that has the row locked: the client of that
 * transaction may be gone, and the server learn of it only after hours. It is repeated where others came in its way and the
 * database has rolled one of them back.
 */
public final class RowChange {

    /** How often something is tried at the most. */
    private static final int MAX_TRIES = 20;

    private static final int TRIES_AT_ONCE = 3;

    /** A duplicate, a transaction that cannot be serialised (90131 in H2), or one that is the victim of a deadlock. */
    private static final Set<String> RACES = Set.of("23505", "40001", "40P01", "90131");

    /** How long a change in a transaction waits for another one that has the row locked. */
    private static final String LOCK_TIMEOUT = "1s";

    private static final String UNBOUNDED = "0";
    private static final NamedSql BOUND = new NamedSql("SELECT current_setting('lock_timeout')");
    private static final NamedSql SET_BOUND = new NamedSql("SELECT set_config('lock_timeout', :bound, true)");

    private final NamedSql lock;
    private final NamedSql change;
    private final @Nullable NamedSql changeUnlessLocked;
    private final boolean waitsForever;

    /** What is tried, all of it in one transaction of its own. */
    @FunctionalInterface
    public interface Try<T> {

        /** Returns {@code null} if others came in between, so that it is to be tried again. */
        @Nullable
        T once() throws SQLException;
    }

    /**
     * @param change what is done, up to the condition: {@code DELETE FROM {table}}
     * @param condition which row it is done to, from {@code WHERE} on
     */
    public RowChange(Dialect dialect, String table, String change, String condition) {
        String locked = "SELECT id FROM {table}" + condition + " FOR UPDATE SKIP LOCKED";
        this.lock = dialect.sql(locked, table);
        this.change = dialect.sql(change + condition, table);
        this.changeUnlessLocked = dialect == Dialect.MYSQL // which cannot lock in a subquery
                ? null
                : dialect.sql(change + " WHERE id = (" + locked + ")", table);
        this.waitsForever = dialect == Dialect.POSTGRESQL;
    }

    /**
     * Tries until nothing else comes in between, a limited number of times, with pauses at random, so that two that met do not
     * meet again: what came in the way may need the processor to end. No {@code TimeSource} knows of them, as none knows of
     * the database's own waits.
     *
     * @return {@code null} if others came in between each time
     */
    public static <T> @Nullable T repeated(Try<T> work) throws SQLException {
        SQLException race = null;
        for (int tries = 1; tries <= MAX_TRIES; tries++) {
            try {
                T answer = work.once();
                if (answer != null) {
                    return answer;
                }
                race = null;
            } catch (SQLException failure) {
                if (!RACES.contains(String.valueOf(failure.getSQLState()))) {
                    throw failure;
                }
                race = failure;
            }
            if (tries >= TRIES_AT_ONCE) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1, tries * 1_000_000L));
            }
        }
        if (race != null) {
            throw race;
        }
        return null;
    }

    /**
     * Changes the row, on a connection with auto-commit.
     *
     * @return false if there is no such row, or a transaction has it locked
     */
    public boolean skipLocked(Connection connection, Map<String, ?> values) throws SQLException {
        return Boolean.TRUE.equals(repeated(() -> changeUnlessLocked != null
                ? changeUnlessLocked.update(connection, values) == 1
                : JdbcStore.inTransaction(
                        connection, own -> lock.finds(own, values) && change.update(own, values) == 1)));
    }

    /** Whether there is such a row, and no transaction has it locked. */
    boolean isFree(Connection connection, Map<String, ?> values) throws SQLException {
        return lock.finds(connection, values);
    }

    /** As {@link #inTransaction}, in a transaction of its own on a connection with auto-commit. */
    public boolean inOwnTransaction(Connection connection, Map<String, ?> values) throws SQLException {
        return Boolean.TRUE.equals(
                repeated(() -> JdbcStore.inTransaction(connection, own -> inTransaction(own, values))));
    }

    /**
     * Changes the row in the transaction of the connection, and waits for a moment for another one that has it locked, such
     * as a renewal. Fails if that takes longer. Other databases than PostgreSQL have a bound of their own unless it was taken
     * away.
     *
     * @return false if there is no such row
     */
    boolean inTransaction(Connection connection, Map<String, ?> values) throws SQLException {
        if (changeUnlessLocked != null && changeUnlessLocked.update(connection, values) == 1) {
            return true;
        }
        if (!waitsForever || !UNBOUNDED.equals(BOUND.text(connection, Map.of()))) {
            return change.update(connection, values) == 1;
        }
        SET_BOUND.finds(connection, Map.of("bound", LOCK_TIMEOUT));
        boolean changed = change.update(connection, values) == 1;
        SET_BOUND.finds(connection, Map.of("bound", UNBOUNDED));
        return changed;
    }
}
