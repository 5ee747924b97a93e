package dev.resilience.spring.idempotency.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    MYSQL("MySQL", "VARBINARY(48)", "LONGBLOB", Dialect.NOW_OF_MYSQL, Dialect.LOOK, Dialect.INSERT_IGNORE),
    MARIADB("MariaDB", "VARBINARY(48)", "LONGBLOB", Dialect.NOW_OF_MYSQL, Dialect.LOOK, Dialect.INSERT_IGNORE);

    private static final String COLUMNS = "(id, caller_hash, operation, fingerprint, state, owner, fence, take_over,"
            + " valid_until, cleanup_after, kind)";
    private static final String VALUES = ":id, :caller_hash, :operation, :fingerprint, 'R', :owner, {now},"
            + " :take_over, {now} + :lease, {now} + :ttl, '-'";

    /** M: in progress, and the claimant's own. */
    private static final String STATE = "CASE WHEN state = 'R' AND owner = :owner THEN 'M' ELSE state END";

    private static final String NOW_OF_MYSQL = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    private static final String LOOK = """
            SELECT {state} AS state, fingerprint, fence, valid_until, kind, result, {now} AS now
            FROM {table} WHERE id = :id
            """;
    private static final String INSERT_IGNORE = "INSERT IGNORE INTO {table} {columns} VALUES ({values})";

    private final String product;
    private final String id;
    private final String binary;
    private final String now;
    private final String claim;
    private final @Nullable String insert;

    Dialect(String product, String id, String binary, String now, String claim, @Nullable String insert) {
        this.product = product;
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
            if (dialect.product.equals(product)) {
                return dialect;
            }
        }
        String known = Arrays.stream(values()).map(dialect -> dialect.product).collect(Collectors.joining(", "));
        throw new UnsupportedOperationException("There is no store for " + product + ", but for " + known
                + ". Define a bean of your own, an IdempotencyStore or a DeadLetterStore");
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

    /** Whether a statement that changes rows can lock them in a subquery first, and pass over what others have locked. */
    boolean locksInSubqueries() {
        return this != MYSQL && this != MARIADB;
    }

    /** Whether a statement waits without a bound for a lock unless told otherwise. */
    boolean waitsForeverForLocks() {
        return this == POSTGRESQL;
    }

    /** Whether REPEATABLE READ fails on writing what others have changed, and does not just write the latest version. */
    boolean hasSnapshots() {
        return this != MYSQL && this != MARIADB;
    }

    /** A statement about the table with the current time in it. */
    public NamedSql sql(String written, String table) {
        return new NamedSql(filledIn(written, table));
    }

    /**
     * What makes the table, to be run one after the other. No index has a column that renewals and results change: such
     * an update touches no index in PostgreSQL (it is "heap-only").
     */
    List<String> schema(String table) {
        return schema(table, """
                    id            {id} NOT NULL PRIMARY KEY,
                    caller_hash   VARCHAR(64) NOT NULL,
                    operation     VARCHAR(1000) NOT NULL,
                    fingerprint   VARCHAR(64) NOT NULL,
                    state         VARCHAR(1) NOT NULL,
                    owner         VARCHAR(64) NOT NULL,
                    fence         BIGINT NOT NULL,
                    take_over     BOOLEAN NOT NULL,
                    valid_until   BIGINT NOT NULL,
                    cleanup_after BIGINT NOT NULL,
                    kind          VARCHAR(1) NOT NULL,
                    result        {binary}""", "cleanup_after");
    }

    /**
     * What makes a table, to be run one after the other. MySQL and MariaDB may have a character set of few characters, and
     * what has others would be stored with question marks.
     *
     * @param columns their definitions
     * @param indexed the one that has an index; the index is called by its first word
     */
    public List<String> schema(String table, String columns, String indexed) {
        String index = table.substring(table.indexOf('.') + 1) + "_" + indexed.split("_", 2)[0];
        String create =
                "CREATE TABLE IF NOT EXISTS {table} (\n" + columns.indent(4).stripTrailing();
        return insert == null
                ? List.of(
                        filledIn(create + "\n)", table),
                        "CREATE INDEX IF NOT EXISTS " + index + " ON " + table + " (" + indexed + ")")
                : List.of(filledIn(
                        create + ",\n    INDEX " + index + " (" + indexed + ")\n) CHARACTER SET utf8mb4", table));
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
}
