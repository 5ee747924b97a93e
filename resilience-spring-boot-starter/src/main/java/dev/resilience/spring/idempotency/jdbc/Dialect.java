package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.time.Durations;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What databases say differently. Times are whole microseconds since 1970 by the database's own clock: every database
 * can count, and no time zone or precision of a column comes in between.
 */
public enum Dialect {
    POSTGRESQL(
            "PostgreSQL",
            "BYTEA",
            "BYTEA",
            // not now(), which stands still in a transaction
            "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
            // Looks first: ON CONFLICT waits for the owner that is about to complete the record, a look does not.
            """
            WITH found AS (
                SELECT {state} AS state, fingerprint, fence, valid_until, kind, result FROM {table} WHERE id = :id
            ), inserted AS (
                INSERT INTO {table} {columns}
                SELECT {values} WHERE NOT EXISTS (SELECT 1 FROM found)
                ON CONFLICT (id) DO NOTHING
                RETURNING fence
            )
            SELECT 'A' AS state, '-' AS fingerprint, fence, 0 AS valid_until, '-' AS kind, NULL AS result, {now} AS now
            FROM inserted
            UNION ALL
            SELECT state, fingerprint, fence, valid_until, kind, result, {now} FROM found
            """,
            null),
    H2(
            "H2",
            "VARBINARY(48)",
            "VARBINARY(1000000000)",
            "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
            """
            SELECT 'A' AS state, '-' AS fingerprint, fence, 0 AS valid_until, '-' AS kind, NULL AS result, {now} AS now
            FROM FINAL TABLE (
                INSERT INTO {table} {columns}
                SELECT {values} WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE id = :id)
            )
            UNION ALL
            SELECT {state}, fingerprint, fence, valid_until, kind, result, {now} FROM {table} WHERE id = :id
            ORDER BY state
            """,
            null),
    MYSQL(
            "MySQL, MariaDB",
            "VARBINARY(48)",
            "LONGBLOB",
            "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))",
            """
            SELECT {state} AS state, fingerprint, fence, valid_until, kind, result, {now} AS now
            FROM {table} WHERE id = :id
            """,
            "INSERT IGNORE INTO {table} {columns} VALUES ({values})");

    private static final String COLUMNS = "(id, caller_hash, operation, fingerprint, state, owner, fence, take_over,"
            + " valid_until, cleanup_after, kind)";
    private static final String VALUES = ":id, :caller_hash, :operation, :fingerprint, 'R', :owner, {now},"
            + " :take_over, {now} + :lease, {now} + :ttl, '-'";

    /** M: in progress, and the claimant's own. */
    private static final String STATE = "CASE WHEN state = 'R' AND owner = :owner THEN 'M' ELSE state END";

    private final String products;
    private final String id;
    private final String binary;
    private final String now;
    private final String claim;
    private final @Nullable String insert;

    Dialect(String products, String id, String binary, String now, String claim, @Nullable String insert) {
        this.products = products;
        this.id = id;
        this.binary = binary;
        this.now = now;
        this.claim = claim;
        this.insert = insert;
    }

    /** The dialect of a database; fails with the product's name if there is none for it. */
    public static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        for (Dialect dialect : values()) {
            if (List.of(dialect.products.split(", ")).contains(product)) {
                return dialect;
            }
        }
        String known = Stream.of(values()).map(dialect -> dialect.products).collect(Collectors.joining(", "));
        throw new UnsupportedOperationException("There is no store for " + product + ", but for " + known
                + ". Define a bean of your own, an IdempotencyStore or a DeadLetterStore");
    }

    /** A duration in whole microseconds, which is what the tables have; at most 292 years. */
    public static long micros(Duration duration) {
        return Durations.toNanos(duration) / 1_000;
    }

    public static Duration duration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /**
     * Inserts a record in progress if there is none, and tells what there is: a row with state A if it was inserted; the
     * record that stands in the way otherwise, with state M if it is in progress and the claimant's own. The first row
     * counts. No row, or a duplicate, if another claim came in between.
     */
    NamedSql claim(String table) {
        return sql(claim, table);
    }

    /** What inserts the record where {@link #claim} only looks, to be run if that finds no row; then that is run again. */
    @Nullable
    NamedSql insert(String table) {
        return insert == null ? null : sql(insert, table);
    }

    /** A statement about the table with the current time in it. */
    public NamedSql sql(String written, String table) {
        return new NamedSql(filledIn(written, table));
    }

    /** What makes a table, to be run one after the other. */
    public List<String> statements(Schema schema) {
        String table = schema.table();
        String index =
                table.substring(table.indexOf('.') + 1) + "_" + schema.indexed().split("_", 2)[0];
        String create = "CREATE TABLE IF NOT EXISTS {table} (\n"
                + schema.columns().indent(4).stripTrailing();
        return insert == null
                ? List.of(
                        filledIn(create + "\n)", table),
                        "CREATE INDEX IF NOT EXISTS " + index + " ON " + table + " (" + schema.indexed() + ")")
                : List.of(
                        filledIn( // its own character set may have few characters, and store question marks for others
                                create + ",\n    INDEX " + index + " (" + schema.indexed()
                                        + ")\n) CHARACTER SET utf8mb4",
                                table));
    }

    private String filledIn(String written, String table) {
        return written.replace("{columns}", COLUMNS)
                .replace("{values}", VALUES)
                .replace("{state}", STATE)
                .replace("{table}", table)
                .replace("{now}", now)
                .replace("{insert}", insert == null ? "INSERT" : "INSERT IGNORE")
                .replace("{first}", insert == null ? "FETCH FIRST :batch ROWS ONLY" : "LIMIT :batch")
                .replace("{id}", id)
                .replace("{binary}", binary);
    }

    /**
     * A store's table.
     *
     * @param columns their definitions, one a line
     * @param indexed the column that has an index, which is called by its first word
     * @param need why there is one, in words that begin a sentence: {@code Methods are @Idempotent}
     * @param rows what is in it: {@code records}
     * @param store the name below {@code resilience} where it is configured
     */
    public record Schema(String table, String columns, String indexed, String need, String rows, String store) {

        private static final Logger log = LoggerFactory.getLogger(Schema.class);

        /**
         * Makes sure that the table is there and has its columns.
         *
         * @param creates whether it is made, with its index, unless it is there
         * @throws ResilienceConfigurationException if it is not, with the statements that make it
         */
        boolean prepare(Connection connection, boolean creates) throws SQLException {
            List<String> making = Dialect.of(connection).statements(this);
            try (Statement statement = connection.createStatement()) {
                if (creates) {
                    create(statement, making);
                }
                String names = columns.lines()
                        .map(column -> column.substring(0, column.indexOf(' ')))
                        .collect(Collectors.joining(", "));
                return statement.execute("SELECT " + names + " FROM " + table + " WHERE 1 = 0");
            } catch (SQLException missing) {
                String state = String.valueOf(missing.getSQLState());
                if (!state.startsWith("42")) { // whatever it is, it is not about the table's definition
                    throw missing;
                }
                throw new ResilienceConfigurationException(
                        need + ", and the table '" + table + "' for their " + rows
                                + " is missing or not as it should be: " + missing.getMessage(),
                        "Let the application make it with 'resilience." + store
                                + ".jdbc.initialize-schema: always', or run:\n\n"
                                + String.join(";\n\n", making) + ";");
            }
        }

        private void create(Statement statement, List<String> making) {
            try {
                for (String part : making) {
                    statement.execute(part);
                }
            } catch (SQLException failure) {
                log.debug("The table '{}' could not be made: another instance may have been faster", table, failure);
            }
        }
    }
}
