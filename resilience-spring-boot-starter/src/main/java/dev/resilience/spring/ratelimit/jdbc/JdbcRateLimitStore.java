package dev.resilience.spring.ratelimit.jdbc;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.Dialect.Schema;
import dev.resilience.spring.idempotency.jdbc.NamedSql;
import dev.resilience.spring.idempotency.jdbc.OwnConnections;
import dev.resilience.spring.idempotency.jdbc.RowChange;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Counts permits in a table of a relational database, by one statement on the database's clock (two in MySQL and MariaDB). Each limit,
 * each key of one, and each process that uses a limit has a row; rows go ten minutes or so after they are of no use.
 *
 * <p>Everything commits at once, on connections of the store's own, whatever transaction a call is in: one that is rolled back gives no
 * permit back, and no transaction holds up other calls. Safe for use by many threads and many processes.
 */
public final class JdbcRateLimitStore implements RateLimitStore, AutoCloseable {

    private static final String DEFINITIONS = """
            id            {id} NOT NULL PRIMARY KEY,
            back_at       BIGINT NOT NULL,
            backlog       BIGINT NOT NULL,
            taken         INT NOT NULL,
            cleanup_after BIGINT NOT NULL""";

    private static final String BACKLOG = "(LEAST(GREATEST(back_at - {now}, 0), :longest) + :debt)";

    private static final String TAKEN = "GREATEST(0, LEAST(:wanted, FLOOR((:burst + :max_wait - " + BACKLOG
            + ") / :interval + 0.000001)), LEAST(:all, FLOOR((:burst - " + BACKLOG + ") / :interval + 0.000001)))";

    /** The same for ten minutes, because a change of an indexed column costs PostgreSQL a new entry in each index. */
    private static final String CLEANUP = "{now} - MOD({now}, 600000000) + 600000000 + :kept";

    private static final String BACK = "{now} + " + BACKLOG + " + CEIL(" + TAKEN + " * :interval - 0.000001)";

    /** The moment comes last: MySQL puts the new value of a column into what is set behind it. */
    private static final String TAKE = "UPDATE {table} SET cleanup_after = " + CLEANUP + ", backlog = " + BACKLOG
            + ", taken = " + TAKEN + ", back_at = " + BACK + " WHERE id = :id";

    /** PostgreSQL's clock goes on in a statement, and is to be read when the row is locked: what all that loses would add up. */
    private static final String TAKE_AT_A_MOMENT =
            "UPDATE {table} SET (cleanup_after, backlog, taken, back_at) = (SELECT "
                    + String.join(", ", CLEANUP, BACKLOG, TAKEN, BACK).replace("{now}", "moment")
                    + " FROM (SELECT {now} AS moment) AS clock) WHERE id = :id RETURNING taken, backlog";

    private static final int HALF_OF_ID = 16;

    private final OwnConnections connections;
    private final String table;
    private final boolean createsTable;
    private volatile @Nullable Sql sql;

    /** The statements, in the database's dialect. */
    private record Sql(
            NamedSql take,
            NamedSql read,
            boolean isReadApart,
            NamedSql insert,
            NamedSql note,
            NamedSql count,
            NamedSql remove) {}

    /**
     * Connects to nothing yet.
     *
     * @param table the table's name, which may have a schema's before it: {@code billing.rate_limit}
     * @param createsTable whether the table is made when the application starts, unless it is there
     */
    public JdbcRateLimitStore(DataSource dataSource, String table, boolean createsTable) {
        this.connections = new OwnConnections(dataSource, "permits in the table '" + table + "'");
        this.table = table;
        this.createsTable = createsTable;
    }

    @Override
    public void prepare() {
        connections.prepare(
                new Schema(
                        table,
                        DEFINITIONS,
                        "cleanup_after",
                        "Rate limits have 'store: jdbc', and the table '" + table + "' for their permits",
                        "resilience.rate-limit-store.jdbc.initialize-schema"),
                createsTable);
    }

    @Override
    public RateLimitPolicy.Store type() {
        return RateLimitPolicy.Store.JDBC;
    }

    @Override
    public Answer take(Request request) {
        Map<String, Object> values = new HashMap<>();
        values.put("id", hash(request.limit() + "\0" + Objects.requireNonNullElse(request.key(), "")));
        values.put("wanted", request.wanted());
        values.put("all", request.wanted() + request.ahead());
        values.put("debt", (long) Math.ceil(request.debt() * request.interval()));
        values.put("interval", request.interval());
        values.put("burst", request.burst());
        values.put("longest", request.longest());
        values.put("max_wait", request.maxWait());
        values.put("kept", 2 * request.longest());
        return connections.keeping(connection ->
                Objects.requireNonNull(RowChange.repeated(() -> take(sql(connection), connection, values))));
    }

    /** Returns {@code null} if there was no row, and now is one. */
    private static @Nullable Answer take(Sql sql, Connection connection, Map<String, Object> values)
            throws SQLException {
        List<Answer> answers = sql.isReadApart
                ? OwnConnections.inTransaction(
                        connection,
                        own -> sql.take.update(own, values) == 0 ? List.<Answer>of() : read(sql, own, values))
                : read(sql, connection, values);
        if (answers.isEmpty()) {
            sql.insert.update(connection, values);
            return null;
        }
        return answers.get(0);
    }

    private static List<Answer> read(Sql sql, Connection connection, Map<String, Object> values) throws SQLException {
        return sql.read.rows(connection, values, row -> new Answer(row.getInt("taken"), row.getLong("backlog")));
    }

    @Override
    public int nodes(String limit, String node) {
        byte[] id = hash("nodes of " + limit);
        byte[] first = Arrays.copyOf(Arrays.copyOf(id, HALF_OF_ID), id.length);
        byte[] last = id.clone();
        Arrays.fill(last, HALF_OF_ID, last.length, (byte) 0xFF);
        System.arraycopy(hash(node), 0, id, HALF_OF_ID, HALF_OF_ID);
        Map<String, Object> values = Map.of("id", id, "first", first, "last", last, "kept", Dialect.micros(SEEN_FOR));
        return connections.keeping(connection -> Objects.requireNonNull(RowChange.repeated(() -> {
            Sql known = sql(connection);
            if (known.note.update(connection, values) == 0) {
                known.insert.update(connection, values);
                return null;
            }
            known.remove.update(connection, values);
            return known.count.rows(connection, values, row -> row.getInt(1)).get(0);
        })));
    }

    private static byte[] hash(String text) {
        return RecordKey.sha256().digest(text.getBytes(StandardCharsets.UTF_8));
    }

    private Sql sql(Connection connection) throws SQLException {
        Sql known = sql;
        if (known == null) {
            Dialect dialect = Dialect.of(connection);
            String read = switch (dialect) {
                case POSTGRESQL -> TAKE_AT_A_MOMENT;
                case H2 -> "SELECT taken, backlog FROM FINAL TABLE (" + TAKE + ")";
                case MYSQL -> "SELECT taken, backlog FROM {table} WHERE id = :id";
            };
            known = new Sql(
                    dialect.sql(TAKE, table),
                    dialect.sql(read, table),
                    dialect == Dialect.MYSQL,
                    dialect.sql(
                            "{insert} INTO {table} (id, back_at, backlog, taken, cleanup_after)"
                                    + " VALUES (:id, 0, 0, 0, {now} + :kept)",
                            table),
                    dialect.sql(
                            "UPDATE {table} SET cleanup_after = " + CLEANUP
                                    + ", back_at = {now} + :kept WHERE id = :id",
                            table),
                    dialect.sql(
                            "SELECT COUNT(*) FROM {table} WHERE id BETWEEN :first AND :last AND back_at > {now}",
                            table),
                    dialect.sql("DELETE FROM {table} WHERE cleanup_after <= (SELECT {now})", table));
            sql = known;
        }
        return known;
    }

    /** Closes the connections of its own. */
    @Override
    public void close() {
        connections.close();
    }
}
