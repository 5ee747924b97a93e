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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
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
 * <p>Nothing waits without a bound for a transaction that has a record locked. Leases are renewed and results stored on two
 * connections of the store's own where the data source is a pool of HikariCP, so that they need none of the pool's.
 *
 * <p>A first execution costs two statements (in MySQL and MariaDB four), a replay one. Safe for use by many threads and
 * many processes.
 */
public final class JdbcIdempotencyStore extends JdbcStore<JdbcIdempotencyStore.Sql> implements IdempotencyStore {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_idempotency";

    private static final Duration LONG_DEAD = Duration.ofDays(1);

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
        super(dataSource, "idempotency records", RecordTable.schema(table), createsTable);
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return claiming(connection -> new ClaimAttempt(records(connection), connection, request).claim());
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return keeping(connection -> records(connection).renewal(token, lease).committed(connection));
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return keeping(
                connection -> records(connection).completion(token, result, ttl).committed(connection));
    }

    @Override
    public boolean release(LeaseToken token) {
        return keeping(connection -> records(connection).release(token).committed(connection));
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return keeping(connection -> Objects.requireNonNull(
                RowChange.repeated(() -> records(connection).status(connection, token))));
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return claiming(connection -> statements(connection).search().find(connection, selection).stream()
                .map(RecordSearch.Found::summary)
                .toList());
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return change(selection, search -> executed ? search.resolve : search.free);
    }

    @Override
    public int delete(RecordSelection selection) {
        return change(selection, search -> search.delete);
    }

    private int change(RecordSelection selection, Function<RecordSearch, RowChange> change) {
        return claiming(connection -> {
            RecordSearch search = statements(connection).search();
            return search.change(connection, selection, change.apply(search));
        });
    }

    @Override
    public @Nullable StoreTransaction currentTransaction() {
        return BoundTransaction.current(this, boundTo());
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
        return prepared // otherwise no method is idempotent yet, and there may be no table
                ? claiming(connection -> records(connection).expire(connection, from, batch, LONG_DEAD))
                : RecordTable.ALL_REMOVED;
    }

    /** Whether the transactions of a manager of this data source are those in which results are written. */
    public boolean writesInTransactionsOf(DataSource ofManager) {
        DataSource bound = ofManager instanceof TransactionAwareDataSourceProxy proxy
                ? Objects.requireNonNull(proxy.getTargetDataSource())
                : ofManager;
        return boundTo().stream().anyMatch(layer -> layer == bound);
    }

    /** Whether a transaction of which the application does not say otherwise fails where a record has been changed. */
    boolean seesSnapshots() {
        Sql known = statements;
        return known != null && known.seesSnapshots();
    }

    RecordTable records(Connection connection) throws SQLException {
        return statements(connection).records();
    }

    @Override
    protected Sql statements(Dialect dialect, Connection connection) throws SQLException {
        boolean seesSnapshots = dialect != Dialect.MYSQL // which writes the latest version
                && connection.getTransactionIsolation() >= Connection.TRANSACTION_REPEATABLE_READ;
        return new Sql(new RecordTable(dialect, table()), new RecordSearch(dialect, table()), seesSnapshots);
    }

    /** The statements, in the database's dialect. */
    record Sql(RecordTable records, RecordSearch search, boolean seesSnapshots) {}
}
