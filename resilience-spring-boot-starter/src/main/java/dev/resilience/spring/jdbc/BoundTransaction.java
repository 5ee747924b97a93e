package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.StoreTransaction;
import dev.resilience.idempotency.StoredResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has bound to the current thread for a data source, be it that of JDBC or that of JPA on top
 * of it.
 */
final class BoundTransaction implements StoreTransaction {

    private final JdbcIdempotencyStore store;
    private final DataSource dataSource;
    private final @Nullable Object holder;

    private BoundTransaction(JdbcIdempotencyStore store, DataSource dataSource) {
        this.store = store;
        this.dataSource = dataSource;
        this.holder = TransactionSynchronizationManager.getResource(dataSource);
    }

    /** {@code null} where there is none, or none in which one can write. */
    static @Nullable BoundTransaction current(JdbcIdempotencyStore store, DataSource dataSource) {
        boolean writes = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                && TransactionSynchronizationManager.hasResource(dataSource);
        BoundTransaction transaction = new BoundTransaction(store, dataSource);
        return writes && transaction.onConnection(connection -> !connection.getAutoCommit()) ? transaction : null;
    }

    /** Whether the current thread has a connection for a transaction, be it one in which one can write or not. */
    static boolean holdsConnection(DataSource dataSource) {
        return TransactionSynchronizationManager.hasResource(dataSource);
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl, Consumer<End> end) {
        boolean completed = onConnection(connection -> store.complete(connection, ownership, result, ttl));
        if (completed) {
            beforeCommit(() -> {}, end);
        }
        return completed;
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return onConnection(connection -> store.renew(connection, ownership, lease));
    }

    @Override
    public boolean release(Ownership ownership) {
        return onConnection(connection -> store.release(connection, ownership));
    }

    @Override
    public void beforeCommit(Runnable action, Consumer<End> end) {
        TransactionSynchronizationManager.registerSynchronization(new Listener(action, end));
    }

    /** As far as the application has said so; the default of a connection is not asked for, which costs a statement. */
    @Override
    public boolean isSnapshot() {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return level != null && level >= Connection.TRANSACTION_REPEATABLE_READ;
    }

    /**
     * On the connection that is bound to the thread. One that commits by itself was bound by somebody who only wanted to
     * use it again, while another data source has the transaction.
     */
    private boolean onConnection(Work work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.with(connection);
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, store.table());
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource); // which keeps it for the transaction
        }
    }

    @Override
    public void rollbackOnly(RuntimeException why) {
        beforeCommit(
                () -> {
                    throw why;
                },
                end -> {});
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BoundTransaction that && holder == that.holder;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(holder);
    }

    private record Listener(Runnable action, Consumer<End> end) implements TransactionSynchronization {

        @Override
        public void beforeCommit(boolean readOnly) {
            action.run();
        }

        @Override
        public void savepointRollback(Object savepoint) {
            end.accept(End.PARTLY_ROLLED_BACK);
        }

        @Override
        public void afterCompletion(int status) {
            end.accept(
                    switch (status) {
                        case STATUS_COMMITTED -> End.COMMITTED;
                        case STATUS_ROLLED_BACK -> End.ROLLED_BACK;
                        default -> End.UNKNOWN;
                    });
        }
    }

    @FunctionalInterface
    private interface Work {

        boolean with(Connection connection) throws SQLException;
    }
}
