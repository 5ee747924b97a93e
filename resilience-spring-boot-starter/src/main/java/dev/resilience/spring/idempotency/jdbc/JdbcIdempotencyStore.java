package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.jdbc.connection.DataSourceLayers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
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
 * <p>Nothing waits without a bound for a transaction that has a record locked. Leases are renewed on a connection apart
 * where the data source is a pool of HikariCP, so that they need none of the pool's.
 *
 * <p>A first execution costs two statements (in MySQL and MariaDB four), a replay one. Safe for use by many threads and
 * many processes.
 */
public final class JdbcIdempotencyStore implements IdempotencyStore, AutoCloseable {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_idempotency";

    private static final Duration LONG_DEAD = Duration.ofDays(1);

    private final DataSourceLayers dataSource;
    private final OwnConnections connections;
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
        this.dataSource = DataSourceLayers.of(dataSource);
        this.connections = new OwnConnections(this.dataSource, contents(table));
        this.table = table;
        this.createsTable = createsTable;
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return connections.claiming(
                connection -> new ClaimAttempt(sql(connection).records(), connection, request).claim());
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return connections.keeping(
                connection -> sql(connection).records().renewal(token, lease).byItself(connection));
    }

    boolean renew(Connection connection, LeaseToken token, Duration lease) throws SQLException {
        return sql(connection).records().renewal(token, lease).inTransaction(connection);
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return connections.ending(connection ->
                sql(connection).records().completion(token, result, ttl).byItself(connection));
    }

    boolean complete(Connection connection, LeaseToken token, StoredResult result, Duration ttl) throws SQLException {
        return sql(connection).records().completion(token, result, ttl).inTransaction(connection);
    }

    @Override
    public boolean release(LeaseToken token) {
        return connections.ending(
                connection -> sql(connection).records().release(token).byItself(connection));
    }

    boolean release(Connection connection, LeaseToken token) throws SQLException {
        return sql(connection).records().release(token).inTransaction(connection);
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return connections.keeping(
                connection -> Races.repeated(() -> sql(connection).records().status(connection, token)));
    }

    /** In a transaction, which keeps the record locked for it in MySQL and MariaDB alone. */
    ClaimStatus statusOf(Connection connection, LeaseToken token) throws SQLException {
        Savepoint before = connection.setSavepoint();
        ClaimStatus status = sql(connection).records().status(connection, token);
        connection.rollback(before);
        return status;
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return connections.claiming(connection -> sql(connection).search().find(connection, selection).stream()
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
        return connections.claiming(connection -> {
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
        return BoundTransaction.current(this, dataSource.boundTo());
    }

    /** Makes the table if that is wanted, and makes sure that it is there. */
    @Override
    public void prepare() {
        connections.check();
        connections.claiming(connection -> {
            Schema schema = Schema.ofRecords(Dialect.of(connection), table);
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
     * Removes records that are of no use any more: results whose time is over, and what was left behind by owners
     * that died long ago and may be replaced. Records in progress, and those that an operator must decide about, stay.
     *
     * @param from what the batch before this one has returned; 0 for the first
     * @param batch how many at the most
     * @return where the next batch begins; {@link RecordTable#ALL_REMOVED} if there is none
     */
    long removeExpired(long from, int batch) {
        return connections.claiming(connection -> sql(connection).records().expire(connection, from, batch, LONG_DEAD));
    }

    /** Whether the transactions of a manager of this data source are those in which results are written. */
    public boolean writesInTransactionsOf(DataSource ofManager) {
        DataSource bound = ofManager instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : ofManager;
        return dataSource.boundTo().stream().anyMatch(layer -> layer == bound);
    }

    /** Where the store gets connections of its own. */
    public DataSource dataSource() {
        return dataSource.own();
    }

    /** Whether what keeps keys has a connection that is no other's. */
    public boolean hasConnectionApart() {
        return connections.hasSpare();
    }

    /** Closes the connection apart. */
    @Override
    public void close() {
        connections.close();
    }

    String table() {
        return table;
    }

    /** What the store has, for messages. */
    String contents() {
        return contents(table);
    }

    private static String contents(String table) {
        return "idempotency records in the table '" + table + "'";
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
            known = new Sql(new RecordTable(dialect, table), new RecordSearch(dialect, table), seesSnapshots);
            sql = known;
        }
        return known;
    }

    /** The statements, in the database's dialect. */
    private record Sql(RecordTable records, RecordSearch search, boolean seesSnapshots) {}

    /** What is done to a record, if it is still as it was found. */
    @FunctionalInterface
    private interface Change {

        boolean of(RecordSearch search, Connection connection, RecordSearch.Found record) throws SQLException;
    }
}
