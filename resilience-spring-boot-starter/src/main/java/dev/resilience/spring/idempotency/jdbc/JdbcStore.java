package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.idempotency.jdbc.Dialect.Schema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A store in a table of a relational database. It works in its own transactions, outside all others. What keeps a key must not wait
 * for the bodies of other calls, which may have all connections of a pool: it is done on those of an {@linkplain OwnPool own pool}
 * where there is one. A thread that has one of the application's connections takes no second one of them.
 *
 * @param <S> the statements about the table
 */
public abstract class JdbcStore<S> implements AutoCloseable {

    private static final boolean KNOWS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", JdbcStore.class.getClassLoader());

    private static final String SECOND_CONNECTION = ". The transaction of this thread has a connection, and the store "
            + "needs a second one, because others must see at once what it writes. If the database is up, its "
            + "connection pool is too small: allow more connections than there are threads with a transaction "
            + "('spring.datasource.hikari.maximum-pool-size'), or make the call outside the transaction";

    private final DataSource shared;
    private final List<DataSource> boundTo = new ArrayList<>();
    private final String contents;
    private final @Nullable OwnPool pool;
    private final Schema table;
    private final boolean createsTable;
    private volatile boolean commitsByItself;
    volatile boolean prepared;
    volatile @Nullable S statements;

    /**
     * @param given the application's, from which come connections that are in no transaction of the thread: those of what
     *     is inside its innermost {@link TransactionAwareDataSourceProxy}, if it has one
     * @param contents what is in the table, for messages: {@code idempotency records}
     * @param createsTable whether the table is made when the application starts, unless it is there
     */
    protected JdbcStore(DataSource given, String contents, Schema table, boolean createsTable) {
        DataSource innermost = given;
        for (DataSource layer = given; layer != null; layer = inner(layer)) {
            if (layer instanceof TransactionAwareDataSourceProxy proxy) {
                innermost = Objects.requireNonNull(proxy.getTargetDataSource());
            } else {
                boundTo.add(layer);
            }
        }
        this.shared = innermost;
        this.contents = contents + " in the table '" + table.table() + "'";
        this.table = table;
        this.createsTable = createsTable;
        this.pool = KNOWS_HIKARI ? OwnPool.beside(shared) : null;
    }

    /** What a data source of Spring's wraps, or another proxy that lets itself be unwrapped to one of those. */
    private static @Nullable DataSource inner(DataSource layer) {
        return layer instanceof DelegatingDataSource delegating
                ? delegating.getTargetDataSource()
                : unwrapped(layer, DelegatingDataSource.class);
    }

    private static <D extends DataSource> @Nullable D unwrapped(DataSource layer, Class<D> type) {
        try {
            return layer.isWrapperFor(type) ? layer.unwrap(type) : null;
        } catch (SQLException | RuntimeException untold) { // among them those that choose their target by the thread
            return null;
        }
    }

    /**
     * To which layers of the data source a transaction manager may bind the connection of its transaction, outermost first.
     * Managers see through one {@code TransactionAwareDataSourceProxy}, and through nothing else.
     */
    final List<DataSource> boundTo() {
        return boundTo;
    }

    /** The name of the table. */
    protected final String table() {
        return table.table();
    }

    /** The statements in the dialect of the database, which is asked for it once. */
    protected final S statements(Connection connection) throws SQLException {
        S known = statements;
        if (known == null) {
            known = statements(Dialect.of(connection), connection);
            statements = known;
        }
        return known;
    }

    /** Makes the statements in a dialect. */
    protected abstract S statements(Dialect dialect, Connection connection) throws SQLException;

    /** New keys: on a connection of the application's pool, which bounds them. */
    protected final <T> T claiming(ConnectionCallback<T> work) {
        return on(isHeldByThread() ? own() : null, work);
    }

    /** Keys that a call has: on a connection of the own pool. */
    protected final <T> T keeping(ConnectionCallback<T> work) {
        return on(own(), work);
    }

    /**
     * Makes the table if that is wanted, and makes sure that it is there.
     *
     * @throws ResilienceConfigurationException for a data source that chooses its database by the thread, too: renewals and
     *     results come from other threads than the claim
     */
    public void prepare() {
        if (boundTo.stream().anyMatch(layer -> unwrapped(layer, AbstractRoutingDataSource.class) != null)) {
            throw new ResilienceConfigurationException(
                    "The data source of the " + contents
                            + " is an AbstractRoutingDataSource, which chooses its database by "
                            + "the thread: what is begun in one database would be ended by other threads in another",
                    "Define the store's bean, a JdbcIdempotencyStore or JdbcDeadLetterStore, on a data source that all "
                            + "share: new JdbcIdempotencyStore(sharedDataSource). Or choose another 'type' of store.");
        }
        claiming(connection -> table.prepare(connection, createsTable));
        prepared = true;
    }

    private @Nullable Connection own() {
        return pool == null ? null : pool.get();
    }

    /** Whether the current thread has a connection for a transaction, be it one in which one can write or not. */
    private boolean isHeldByThread() {
        return boundTo.stream().anyMatch(TransactionSynchronizationManager::hasResource);
    }

    /**
     * @param had to be closed here; {@code null} for the application's pool
     */
    private <T> T on(@Nullable Connection had, ConnectionCallback<T> work) {
        try (Connection connection = had == null ? ofPool() : had) {
            boolean inTransaction = TransactionSynchronizationManager.isActualTransactionActive();
            if (!inTransaction) {
                commitsByItself = connection.getAutoCommit();
            } else if (commitsByItself && !connection.getAutoCommit()) {
                throw new IllegalStateException("The data source of the " + contents
                        + " hands out the connection of the thread's transaction, which is not the store's to "
                        + "commit. Define the store's bean on a data source that does not");
            }
            return committing(connection, work);
        } catch (SQLException failure) {
            throw failure(failure);
        }
    }

    private Connection ofPool() {
        try {
            return shared.getConnection();
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, contents, isHeldByThread() ? SECOND_CONNECTION : "");
        }
    }

    final JdbcStoreException failure(SQLException cause) {
        return new JdbcStoreException(cause, contents, "");
    }

    /** Every statement in its own transaction. */
    static <T> T committing(Connection connection, ConnectionCallback<T> work) throws SQLException {
        if (connection.getAutoCommit()) {
            return work.doInConnection(connection);
        }
        connection.setAutoCommit(true);
        try {
            return work.doInConnection(connection);
        } finally {
            connection.setAutoCommit(false);
        }
    }

    /** On a connection with auto-commit: all of it in one transaction, or nothing if it fails. */
    public static <T> T inTransaction(Connection connection, ConnectionCallback<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            T result = work.doInConnection(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException | Error failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** Closes the connections of its own. */
    @Override
    public void close() {
        if (pool != null) {
            pool.close();
        }
    }

    /** The database did not answer, or not as it should. */
    static final class JdbcStoreException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        JdbcStoreException(SQLException cause, String contents, String cure) {
            super("The " + contents + " could not be had: " + cause.getMessage() + cure, cause);
        }
    }
}
