package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * The transaction that Spring has bound to the current thread for a data source, be it that of JDBC or that of JPA on top
 * of it.
 */
final class BoundTransaction implements StoreTransaction {

    /** Not public; of a connection without auto-commit nothing else says whether it will be committed. */
    private static final Method IS_ACTIVE =
            Objects.requireNonNull(ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive"));

    static {
        ReflectionUtils.makeAccessible(IS_ACTIVE);
    }

    private final JdbcIdempotencyStore store;
    private final DataSource dataSource;
    private final @Nullable Object holder;

    private BoundTransaction(JdbcIdempotencyStore store, DataSource dataSource) {
        this.store = store;
        this.dataSource = dataSource;
        this.holder = TransactionSynchronizationManager.getResource(dataSource);
    }

    /** {@code null} where there is none, or none in which one can write. */
    static @Nullable BoundTransaction current(JdbcIdempotencyStore store, List<DataSource> boundTo) {
        boolean writes = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly();
        if (!writes) {
            return null;
        }
        return boundTo.stream()
                .filter(TransactionSynchronizationManager::hasResource)
                .map(dataSource -> new BoundTransaction(store, dataSource))
                .filter(BoundTransaction::isReal)
                .findFirst()
                .orElse(null);
    }

    /**
     * Not so if the transaction has been committed or rolled back, and its connection is still bound for callbacks. Nor if the
     * connection was only bound to be used again, while another data source has the transaction. JPA's
     * holders know nothing of transactions, but are not synchronized with another one's either.
     */
    private boolean isReal() {
        return !TransactionSynchronizationManager.hasResource(new Ended(holder))
                && onConnection(connection -> !connection.getAutoCommit())
                && (!(holder instanceof ConnectionHolder jdbc) || !jdbc.isSynchronizedWithTransaction() || isActive());
    }

    /** Whether a transaction manager of JDBC has begun it: that of JPA tells the holder nothing. */
    private boolean isActive() {
        return holder instanceof ConnectionHolder jdbc
                && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_ACTIVE, jdbc));
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return onConnection(connection ->
                store.records(connection).completion(token, result, ttl).inTransaction(connection));
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return onConnection(
                connection -> store.records(connection).renewal(token, lease).inTransaction(connection));
    }

    @Override
    public boolean release(LeaseToken token) {
        return onConnection(
                connection -> store.records(connection).release(token).inTransaction(connection));
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return onConnection(connection -> store.records(connection).statusInTransaction(connection, token));
    }

    /**
     * A status is believed only where it can be true: JPA reports a commit whose answer was lost as rolled back, so its rollback
     * after the commit has begun is unknown.
     */
    @Override
    public void beforeCommit(Runnable action, Consumer<End> end) {
        boolean isOfJdbc = isActive();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            private boolean wasBeforeCommit;

            @Override
            public void beforeCommit(boolean readOnly) {
                wasBeforeCommit = true;
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
                            case STATUS_COMMITTED -> wasBeforeCommit ? End.COMMITTED : End.COMMITTED_BEFORE;
                            case STATUS_ROLLED_BACK -> wasBeforeCommit && !isOfJdbc ? End.UNKNOWN : End.ROLLED_BACK;
                            default -> End.UNKNOWN;
                        });
            }
        });
    }

    @Override
    public boolean isSnapshot() {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return level == null ? store.seesSnapshots() : level >= Connection.TRANSACTION_REPEATABLE_READ;
    }

    /** On the connection that is bound to the thread. */
    private <T> T onConnection(ConnectionCallback<T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.doInConnection(connection);
        } catch (SQLException failure) {
            throw store.failure(failure);
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

    /**
     * Bound to the thread while a transaction ends, because Spring leaves its connection bound until the callbacks have run
     * and nothing else tells them apart from those before the commit.
     *
     * @param holder of its connection
     */
    private record Ended(@Nullable Object holder) {

        private static @Nullable Ended of(TransactionExecution execution) {
            return execution instanceof DefaultTransactionStatus status
                            && status.hasTransaction()
                            && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                            && jdbc.hasConnectionHolder()
                    ? new Ended(jdbc.getConnectionHolder())
                    : null;
        }
    }

    /** Of each transaction manager. */
    static final class Ends implements TransactionExecutionListener {

        @Override
        public void beforeCommit(TransactionExecution execution) {
            Ended ended = Ended.of(execution);
            if (ended != null && !TransactionSynchronizationManager.hasResource(ended)) {
                TransactionSynchronizationManager.bindResource(ended, true);
            }
        }

        @Override
        public void beforeRollback(TransactionExecution execution) {
            beforeCommit(execution);
        }

        @Override
        public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
            Ended ended = Ended.of(execution);
            if (ended != null) {
                TransactionSynchronizationManager.unbindResourceIfPossible(ended);
            }
        }

        @Override
        public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
            afterCommit(execution, failure);
        }
    }
}
