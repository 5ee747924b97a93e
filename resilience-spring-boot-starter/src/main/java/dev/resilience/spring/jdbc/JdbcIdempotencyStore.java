package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.Claim;
import dev.resilience.idempotency.ClaimRequest;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.RecordSelection;
import dev.resilience.idempotency.RecordSummary;
import dev.resilience.idempotency.StoreTransaction;
import dev.resilience.idempotency.StoredResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Keeps records in a table of a relational database: PostgreSQL, H2, and as an experiment MySQL and MariaDB.
 *
 * <p>Claims, renewals and releases commit at once, each on a connection of its own, whatever transaction the thread is
 * in: others must see that a key is taken while the method runs. A result is written in the method's transaction where
 * there is one on the same data source, so that effect and record commit together. Time is the database's.
 *
 * <p>A first execution costs two statements (in MySQL and MariaDB four), a replay one. Safe for use by many threads and
 * many processes.
 */
public final class JdbcIdempotencyStore implements IdempotencyStore {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_idempotency";

    private static final Duration LONG_DEAD = Duration.ofDays(1);

    private final DataSource dataSource;
    private final String table;
    private final boolean createsTable;
    private volatile @Nullable Sql sql;
    private volatile boolean prepared;

    /** A store on the table of the default name, which is there. */
    public JdbcIdempotencyStore(DataSource dataSource) {
        this(dataSource, DEFAULT_TABLE, false);
    }

    /**
     * A store on a table of another name.
     *
     * @param table the table's name, which may have a schema's before it: {@code billing.idempotency}
     * @param createsTable whether the table is made when the application starts, unless it is there
     */
    public JdbcIdempotencyStore(DataSource dataSource, String table, boolean createsTable) {
        this.dataSource = unwrap(dataSource);
        this.table = table;
        this.createsTable = createsTable;
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return onOwnConnection(connection -> new Claiming(sql(connection).records(), connection, request).claim());
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return onOwnConnection(connection -> renew(connection, ownership, lease));
    }

    boolean renew(Connection connection, Ownership ownership, Duration lease) throws SQLException {
        return sql(connection).records().renew(connection, ownership, lease);
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        return onOwnConnection(connection -> complete(connection, ownership, result, ttl));
    }

    boolean complete(Connection connection, Ownership ownership, StoredResult result, Duration ttl)
            throws SQLException {
        return sql(connection).records().complete(connection, ownership, result, ttl);
    }

    @Override
    public boolean release(Ownership ownership) {
        return onOwnConnection(connection -> release(connection, ownership));
    }

    boolean release(Connection connection, Ownership ownership) throws SQLException {
        return sql(connection).records().release(connection, ownership);
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return onOwnConnection(connection -> sql(connection).search().find(connection, selection).stream()
                .map(RecordSearch.Found::summary)
                .toList());
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return change(selection, (search, connection, record) -> search.resolve(connection, record, executed));
    }

    @Override
    public int delete(RecordSelection selection) {
        return change(selection, RecordSearch::delete);
    }

    private int change(RecordSelection selection, Change change) {
        return onOwnConnection(connection -> {
            RecordSearch search = sql(connection).search();
            int changed = 0;
            for (RecordSearch.Found record : search.find(connection, selection)) {
                changed += change.of(search, connection, record) ? 1 : 0;
            }
            return changed;
        });
    }

    @Override
    public @Nullable StoreTransaction currentTransaction() {
        return BoundTransaction.current(this, dataSource);
    }

    /** Makes the table if that is wanted, and makes sure that it is there. */
    @Override
    public void prepare() {
        onOwnConnection(connection -> {
            Schema schema = new Schema(Dialect.of(connection), table);
            if (createsTable) {
                schema.create(connection);
            }
            schema.check(connection);
            return true;
        });
        prepared = true;
    }

    boolean isPrepared() {
        return prepared;
    }

    /**
     * Removes records that nobody will ask for any more: results whose time is over, and what was left behind by owners
     * that died long ago and may be replaced. Records in progress, and those that an operator must decide about, stay.
     *
     * @param batch how many at the most
     * @return how many there were
     */
    int removeExpired(int batch) {
        return onOwnConnection(connection -> sql(connection).records().expire(connection, batch, LONG_DEAD));
    }

    /** What transaction managers bind connections to. */
    static DataSource unwrap(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : dataSource;
    }

    DataSource dataSource() {
        return dataSource;
    }

    String table() {
        return table;
    }

    /** Whether a transaction of which the application does not say otherwise fails where a record has been changed. */
    boolean seesSnapshots() {
        Sql known = sql;
        return known != null && known.seesSnapshots();
    }

    private Sql sql(Connection connection) throws SQLException {
        Sql known = sql;
        if (known == null) {
            Dialect dialect = Dialect.of(connection);
            boolean seesSnapshots = dialect.hasSnapshots()
                    && connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ;
            known = new Sql(new Records(dialect, table), new RecordSearch(dialect, table), seesSnapshots);
            sql = known;
        }
        return known;
    }

    private <T> T onOwnConnection(Transactions.Work<T> work) {
        try (Connection connection = connection()) {
            return Transactions.byItself(connection, work);
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, table);
        }
    }

    private Connection connection() {
        try {
            return dataSource.getConnection();
        } catch (SQLException failure) {
            throw BoundTransaction.holdsConnection(dataSource)
                    ? JdbcStoreException.noSecondConnection(failure, table)
                    : new JdbcStoreException(failure, table);
        }
    }

    /** The statements, in the database's dialect. */
    private record Sql(Records records, RecordSearch search, boolean seesSnapshots) {}

    /** What is done to a record, if it is still as it was found. */
    @FunctionalInterface
    private interface Change {

        boolean of(RecordSearch search, Connection connection, RecordSearch.Found record) throws SQLException;
    }
}
