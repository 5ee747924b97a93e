package dev.resilience.spring.ratelimit.jdbc;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.Dialect.Schema;
import dev.resilience.spring.idempotency.jdbc.JdbcStore;
import dev.resilience.spring.idempotency.jdbc.NamedSql;
import dev.resilience.spring.idempotency.jdbc.RowChange;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.util.CollectionUtils;

/**
 * Counts permits in a table of a relational database, by one statement on the database's clock (two in MySQL and MariaDB). Each limit,
 * each key of one, and each process that uses a limit has a row; rows go ten minutes or so after they are of no use.
 *
 * <p>Everything commits at once, on connections of the store's own, whatever transaction a call is in: one that is rolled back gives no
 * permit back, and no transaction holds up other calls. Safe for use by many threads and many processes.
 */
public final class JdbcRateLimitStore extends JdbcStore<JdbcRateLimitStore.Sql> implements RateLimitStore {

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

    private static final String TAKEN_OF = "SELECT taken, backlog FROM ";

    private static final String INSERT = "{insert} INTO {table} (id, back_at, backlog, taken, cleanup_after)"
            + " VALUES (:id, 0, 0, 0, " + CLEANUP + ")";
    private static final String COUNT =
            "SELECT COUNT(*) FROM {table} WHERE id BETWEEN :first AND :last AND back_at > {now}";
    private static final String REMOVE = "DELETE FROM {table} WHERE cleanup_after <= (SELECT {now})";

    private static final long SEEN_MICROS = Dialect.micros(SEEN_FOR);
    private static final HexFormat HEX = HexFormat.of();

    /** Of the id of a process, in hex: the first half is that of its limit, so that these lie side by side. */
    private static final int HALF_OF_ID = 32;

    /**
     * Connects to nothing yet.
     *
     * @param table the table's name, which may have a schema's before it: {@code billing.rate_limit}
     * @param createsTable whether the table is made when the application starts, unless it is there
     */
    public JdbcRateLimitStore(DataSource dataSource, String table, boolean createsTable) {
        super(dataSource, "permits", schema(table), createsTable);
    }

    private static Schema schema(String table) {
        return new Schema(
                table, DEFINITIONS, "cleanup_after", "Rate limits have 'store: jdbc'", "permits", "rate-limit-store");
    }

    /** @param taken what {@code take} has taken; {@code null} where that answers itself */
    record Sql(NamedSql take, @Nullable NamedSql taken, NamedSql insert, NamedSql remove, NamedSql count) {}

    @Override
    protected Sql statements(Dialect dialect, Connection connection) {
        String take = switch (dialect) {
            case POSTGRESQL -> TAKE_AT_A_MOMENT;
            case H2 -> TAKEN_OF + "FINAL TABLE (" + TAKE + ")";
            case MYSQL -> TAKE;
        };
        return new Sql(
                dialect.sql(take, table()),
                dialect == Dialect.MYSQL ? dialect.sql(TAKEN_OF + "{table} WHERE id = :id", table()) : null,
                dialect.sql(INSERT, table()),
                dialect.sql(REMOVE, table()),
                dialect.sql(COUNT, table()));
    }

    @Override
    public RateLimitPolicy.Store type() {
        return RateLimitPolicy.Store.JDBC;
    }

    @Override
    public Answer take(Request request) {
        return take(RecordKey.hash(request.limit(), Objects.requireNonNullElse(request.key(), "")), request);
    }

    private Answer take(String id, Request request) {
        Map<String, Object> values = Map.of(
                "id", HEX.parseHex(id),
                "wanted", request.wanted(),
                "all", request.wanted() + request.ahead(),
                "debt", (long) Math.ceil(request.debt() * request.interval()),
                "interval", request.interval(),
                "burst", request.burst(),
                "longest", request.longest(),
                "max_wait", request.maxWait(),
                "kept", 2 * request.longest() + SEEN_MICROS);
        return keeping(connection -> Objects.requireNonNull(RowChange.repeated(() -> {
            Sql sql = statements(connection);
            List<Answer> answer = sql.taken == null
                    ? sql.take.rows(connection, values, JdbcRateLimitStore::answer)
                    : inTransaction(connection, own -> {
                        sql.take.update(own, values);
                        return sql.taken.rows(own, values, JdbcRateLimitStore::answer);
                    });
            if (answer.isEmpty()) {
                sql.insert.update(connection, values);
            }
            return CollectionUtils.firstElement(answer);
        })));
    }

    private static Answer answer(ResultSet row) throws SQLException {
        return new Answer(row.getInt("taken"), row.getLong("backlog"));
    }

    /** A process is a permit, whatever was taken before, which is back when the process does not count any more. */
    @Override
    public int nodes(String limit, String node) {
        String half = RecordKey.hash("nodes", limit).substring(0, HALF_OF_ID);
        String id = half + RecordKey.hash(node).substring(HALF_OF_ID);
        take(id, new Request(limit, node, SEEN_MICROS, SEEN_MICROS, 0, 1, 0, 0, 0));
        Map<String, ?> ids = Map.of("first", HEX.parseHex(half), "last", HEX.parseHex(half + "f".repeat(HALF_OF_ID)));
        return keeping(connection -> {
            statements(connection).remove.update(connection, ids);
            return statements(connection)
                    .count
                    .rows(connection, ids, row -> row.getInt(1))
                    .get(0);
        });
    }
}
