package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.spring.idempotency.jdbc.connection.ConnectionTransactions;
import dev.resilience.spring.idempotency.jdbc.connection.DataSourceLayers;
import dev.resilience.spring.idempotency.jdbc.connection.PoolState;
import dev.resilience.spring.idempotency.jdbc.connection.SpareConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The connections on which the store works in its own transactions, outside of all transactions. What keeps a key must not wait for the
 * bodies of other calls, which may have all connections of a pool: it is done on a {@linkplain SpareConnection connection
 * apart} where there is one.
 */
public final class OwnConnections implements AutoCloseable {

    private static final boolean KNOWS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", OwnConnections.class.getClassLoader());

    private final DataSource shared;
    private final List<DataSource> boundTo;
    private final String contents;
    private final @Nullable PoolState pool;
    private final @Nullable SpareConnection spare;
    private volatile boolean commitsByItself;

    /**
     * @param contents what is done on them, for messages: {@code idempotency records in the table 'orders'}
     */
    public OwnConnections(DataSourceLayers layers, String contents) {
        this.shared = layers.own();
        this.boundTo = layers.boundTo();
        this.contents = contents;
        this.pool = KNOWS_HIKARI ? PoolState.behind(shared) : null;
        this.spare = KNOWS_HIKARI ? SpareConnection.beside(shared) : null;
    }

    /** Whether there is a connection apart, so that a pool of one connection is enough. */
    boolean hasSpare() {
        return spare != null;
    }

    /** Makes sure that these are connections of the store's own. */
    public void check() {
        try {
            TransactionalSourceCheck.check(shared, contents);
            if (!TransactionSynchronizationManager.isActualTransactionActive()) {
                try (Connection connection = shared.getConnection()) {
                    commitsByItself = connection.getAutoCommit();
                }
            }
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, contents);
        }
    }

    /** On a connection of the application's pool; if the thread has one of it already, and the others are taken, apart. */
    public <T> T claiming(ConnectionTransactions.Work<T> work) {
        return on(isHeldByThread() ? second() : null, work);
    }

    /**
     * On a connection of the application's pool, or if all are taken on the one apart. A pool that does not tell whether
     * all are taken is waited for, for as long as its own timeout is.
     *
     * @throws RecordLockedException if the thread has a connection of the pool already, and would have to wait for another
     *     one: it might wait for threads that wait for its own
     */
    <T> T ending(ConnectionTransactions.Work<T> work) {
        if (!isHeldByThread()) {
            return on(spare != null && isPoolTaken() ? spare.get() : null, work);
        }
        Connection second = second();
        if (second == null && isPoolTaken()) {
            throw new RecordLockedException(
                    "The thread's transaction still has its connection, and there is no other one");
        }
        return on(second, work);
    }

    /** On the connection apart. */
    public <T> T keeping(ConnectionTransactions.Work<T> work) {
        return on(spare == null ? null : spare.get(), work);
    }

    private boolean isPoolTaken() {
        return pool != null && pool.isTaken();
    }

    private @Nullable Connection second() {
        return spare == null ? null : spare.ofPoolOrGet();
    }

    /** Whether the current thread has a connection for a transaction, be it one in which one can write or not. */
    private boolean isHeldByThread() {
        return boundTo.stream().anyMatch(TransactionSynchronizationManager::hasResource);
    }

    /**
     * @param had to be closed here; {@code null} for the application's pool
     */
    private <T> T on(@Nullable Connection had, ConnectionTransactions.Work<T> work) {
        try (Connection connection = had == null ? ofPool() : had) {
            if (commitsByItself
                    && !connection.getAutoCommit()
                    && TransactionSynchronizationManager.isActualTransactionActive()) {
                throw new IllegalStateException("The data source of the " + contents
                        + " hands out the connection of the thread's transaction, which is not the store's to "
                        + "commit. Define the store's bean on a data source that does not");
            }
            return ConnectionTransactions.byItself(connection, work);
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, contents);
        }
    }

    private Connection ofPool() {
        try {
            return shared.getConnection();
        } catch (SQLException failure) {
            throw isHeldByThread()
                    ? JdbcStoreException.noSecondConnection(failure, contents)
                    : new JdbcStoreException(failure, contents);
        }
    }

    @Override
    public void close() {
        if (spare != null) {
            spare.close();
        }
    }
}
