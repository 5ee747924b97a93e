package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.Claim;
import dev.resilience.idempotency.ClaimRequest;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.RecordSelection;
import dev.resilience.idempotency.RecordSummary;
import dev.resilience.idempotency.StoreTransaction;
import dev.resilience.idempotency.StoredResult;
import dev.resilience.spring.jdbc.Records.Found;
import dev.resilience.spring.jdbc.Records.Listed;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
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
 * <p>A first execution costs two statements (in MySQL and MariaDB four), a replay one. Safe for use by many threads and many processes.
 */
public final class JdbcIdempotencyStore implements IdempotencyStore {

    /** The table's name unless told otherwise. */
    public static final String DEFAULT_TABLE = "resilience_idempotency";

    private static final Duration LONG_DEAD = Duration.ofDays(1);
    private static final int MOST_TRIES = 20;
    private static final int LONGEST_OPERATION = 1_000;
    private static final long MOST_MICROS = Long.MAX_VALUE / 4; // so that a sum of two never overflows

    private final DataSource dataSource;
    private final String table;
    private final boolean createsTable;
    private volatile @Nullable Records records;
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
        return onOwnConnection(connection -> claim(connection, request));
    }

    private Claim claim(Connection connection, ClaimRequest request) throws SQLException {
        Map<String, Object> values = values(request);
        for (int i = 0; i < MOST_TRIES; i++) {
            try {
                Found found = records(connection).claim(connection, values);
                Claim claim = found == null ? null : decide(connection, request, values, found);
                if (claim != null) {
                    return claim;
                }
            } catch (SQLException failure) {
                if (!isRace(failure)) {
                    throw failure;
                }
            }
        }
        throw new IllegalStateException("Others claim the record again and again");
    }

    /** Returns {@code null} if the record has changed meanwhile. */
    private @Nullable Claim decide(Connection connection, ClaimRequest request, Map<String, Object> values, Found found)
            throws SQLException {
        if (found.state() == 'A') {
            return new Claim.Acquired(new Ownership(request.key(), request.owner(), found.fence()), false);
        }
        boolean isOver = found.left() <= 0;
        if (found.state() == 'C' && isOver) {
            return takeOver(connection, request, values, found);
        }
        if (!request.hasArgumentsOf(found.fingerprint())) {
            return new Claim.KeyReused();
        }
        if (found.state() == 'C') {
            return new Claim.Completed(Objects.requireNonNull(found.result()));
        }
        if (found.state() == 'E') {
            return new Claim.Executed();
        }
        if (!isOver) {
            return new Claim.InProgress(duration(found.left()));
        }
        return request.takeOver() ? takeOver(connection, request, values, found) : new Claim.Abandoned();
    }

    /** An expired result is as good as none; an owner that died is not. */
    private @Nullable Claim takeOver(
            Connection connection, ClaimRequest request, Map<String, Object> values, Found found) throws SQLException {
        long fence = Math.max(found.fence() + 1, found.now());
        return records(connection).takeOver(connection, values, found, fence)
                ? new Claim.Acquired(new Ownership(request.key(), request.owner(), fence), found.state() == 'R')
                : null;
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return onOwnConnection(connection -> records(connection).renew(connection, values(ownership), micros(lease)));
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        return onOwnConnection(connection -> complete(connection, ownership, result, ttl));
    }

    boolean complete(Connection connection, Ownership ownership, StoredResult result, Duration ttl)
            throws SQLException {
        return records(connection).complete(connection, values(ownership), result, micros(ttl));
    }

    @Override
    public boolean release(Ownership ownership) {
        return onOwnConnection(connection -> records(connection).release(connection, values(ownership)));
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return onOwnConnection(connection -> select(connection, selection).stream()
                .filter(record -> record.state() != 'C' || record.left() > 0)
                .map(JdbcIdempotencyStore::summary)
                .toList());
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return change(selection, (connection, record) -> records(connection).resolve(connection, record, executed));
    }

    @Override
    public int delete(RecordSelection selection) {
        return change(selection, (connection, record) -> records(connection).delete(connection, record));
    }

    private int change(RecordSelection selection, Change change) {
        return onOwnConnection(connection -> {
            int changed = 0;
            for (Listed record : select(connection, selection)) {
                changed += change.of(connection, record) ? 1 : 0;
            }
            return changed;
        });
    }

    private List<Listed> select(Connection connection, RecordSelection selection) throws SQLException {
        Set<String> operations = selection.operations().stream()
                .map(JdbcIdempotencyStore::shortened)
                .collect(Collectors.toSet());
        RecordSelection asWritten = new RecordSelection(selection.key(), operations, selection.caller());
        return records(connection).find(connection, selection.keyHash()).stream()
                .filter(record -> asWritten.includes(record.operation(), record.callerHash()))
                .toList();
    }

    private static RecordSummary summary(Listed record) {
        RecordSummary.State state = switch (record.state()) {
            case 'C' -> RecordSummary.State.COMPLETED;
            case 'E' -> RecordSummary.State.EXECUTED;
            default -> record.left() > 0 ? RecordSummary.State.IN_PROGRESS : RecordSummary.State.ABANDONED;
        };
        boolean ends = state == RecordSummary.State.IN_PROGRESS || state == RecordSummary.State.COMPLETED;
        return new RecordSummary(record.operation(), record.callerHash(), state, ends ? duration(record.left()) : null);
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
        return onOwnConnection(connection -> records(connection).expire(connection, batch, micros(LONG_DEAD)));
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

    private Records records(Connection connection) throws SQLException {
        Records known = records;
        if (known == null) {
            known = new Records(Dialect.of(connection), table);
            records = known;
        }
        return known;
    }

    private <T> T onOwnConnection(Work<T> work) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            try {
                return work.with(connection);
            } finally {
                if (!autoCommit) {
                    connection.setAutoCommit(false);
                }
            }
        } catch (SQLException failure) {
            throw new JdbcStoreException(failure, table);
        }
    }

    /** Somebody else claimed the record at the same time: a duplicate, or a transaction that cannot be serialised. */
    private static boolean isRace(SQLException failure) {
        String state = failure.getSQLState();
        return "23505".equals(state) || "40001".equals(state);
    }

    private static Map<String, Object> values(ClaimRequest request) {
        Map<String, Object> values = new HashMap<>();
        values.put("id", request.key().id());
        values.put("key_hash", request.key().keyHash());
        values.put("caller_hash", request.key().callerHash());
        values.put("operation", shortened(request.key().operation()));
        values.put("fingerprint", request.fingerprint());
        values.put("owner", request.owner());
        values.put("take_over", request.takeOver());
        values.put("lease", micros(request.lease()));
        return values;
    }

    private static Map<String, Object> values(Ownership ownership) {
        return Map.of("id", ownership.key().id(), "owner", ownership.owner(), "fence", ownership.fence());
    }

    private static String shortened(String operation) {
        return operation.substring(0, Math.min(LONGEST_OPERATION, operation.length()));
    }

    private static long micros(Duration duration) {
        return duration.compareTo(duration(MOST_MICROS)) > 0 ? MOST_MICROS : duration.toNanos() / 1_000;
    }

    private static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /** What is done to a record, if it is still as it was found. */
    @FunctionalInterface
    private interface Change {

        boolean of(Connection connection, Listed record) throws SQLException;
    }

    /** What is done on one connection. */
    @FunctionalInterface
    private interface Work<T> {

        T with(Connection connection) throws SQLException;
    }
}
