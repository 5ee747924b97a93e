package dev.resilience.spring.deadletter.jdbc;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.Micros;
import dev.resilience.spring.idempotency.jdbc.NamedSql;
import dev.resilience.spring.idempotency.jdbc.RecordChange;
import dev.resilience.spring.idempotency.jdbc.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The statements about the table of letters, and its rows. {@code due_at} is when the wait ends, or while {@code replaying}
 * the lease; every change of a letter sets it.
 */
final class LetterTable {

    private static final String COLUMNS =
            "id, policy, bean, operation, arguments, failure_type, failure_message, attempts,"
                    + " stored_at, replaying, given_up, replays, replay_failure_type, replay_failure_message, fence, due_at";
    static final String INDEXED = "due_at";
    static final String DEFINITIONS = """
            id                     {id} NOT NULL PRIMARY KEY,
            policy                 VARCHAR(500) NOT NULL,
            bean                   VARCHAR(500) NOT NULL,
            operation              VARCHAR(500) NOT NULL,
            arguments              {binary},
            failure_type           VARCHAR(500) NOT NULL,
            failure_message        VARCHAR(1000),
            attempts               INT NOT NULL,
            stored_at              BIGINT NOT NULL,
            replaying              BOOLEAN NOT NULL,
            given_up               BOOLEAN NOT NULL,
            replays                INT NOT NULL,
            replay_failure_type    VARCHAR(500),
            replay_failure_message VARCHAR(1000),
            fence                  BIGINT NOT NULL,
            due_at                 BIGINT NOT NULL""";

    private static final String OF_POLICY = " WHERE id BETWEEN :first AND :last";
    private static final String AS_FOUND =
            " WHERE id = :id AND fence = :fence AND due_at = :due_at AND (NOT replaying OR due_at <= {now})";
    /** If the last replay was abandoned, the one before it. Stands first: MySQL reads what is assigned further left. */
    private static final String FORGETS =
            "replay_failure_type = CASE WHEN replaying THEN NULL ELSE replay_failure_type END,"
                    + " replay_failure_message = CASE WHEN replaying THEN NULL ELSE replay_failure_message END";

    private static final String MINE = " WHERE id = :id AND fence = :fence AND replaying";
    private static final byte[] NOTHING = {};

    private final NamedSql exists;
    private final NamedSql insert;
    private final NamedSql find;
    private final NamedSql list;
    private final NamedSql sizes;
    private final NamedSql due;
    private final NamedSql claimable;
    final RecordChange claim;
    final RecordChange renew;
    final RecordChange remove;
    final RecordChange fail;
    final RecordChange giveUp;
    final RecordChange postpone;
    final RecordChange discard;

    LetterTable(Dialect dialect, String table) {
        this.exists = dialect.sql("SELECT id FROM {table} WHERE id = :id", table);
        this.insert = dialect.sql(
                "{insert} INTO {table} (" + COLUMNS
                        + ") VALUES (:id, :policy, :bean, :operation, :arguments, :type, :message,"
                        + " :attempts, {now}, FALSE, FALSE, 0, NULL, NULL, {now}, {now} + :wait)",
                table);
        String select = "SELECT " + COLUMNS + ", {now} AS now FROM {table}";
        this.find = dialect.sql(select + " WHERE id = :id", table);
        this.list = dialect.sql(select + OF_POLICY + " ORDER BY stored_at, id {first}", table);
        this.sizes = dialect.sql(
                // not by the name, which a collation may take for another one
                "SELECT MIN(policy) AS policy, COUNT(*) AS letters FROM {table} GROUP BY SUBSTRING(id, 1, "
                        + LetterIds.BYTES_OF_POLICY + ")",
                table);
        String look = "SELECT id, fence, due_at FROM {table}";
        this.claimable = dialect.sql(look + " WHERE id = :id AND (NOT replaying OR due_at <= {now})", table);
        this.due =
                dialect.sql(look + OF_POLICY + " AND NOT given_up AND due_at <= {now} ORDER BY due_at {first}", table);
        this.claim = new RecordChange(
                dialect,
                table,
                "UPDATE {table} SET " + FORGETS + ", replaying = TRUE, replays = replays + 1, fence = fence + 1,"
                        + " due_at = {now} + :lease",
                AS_FOUND);
        this.renew = new RecordChange(dialect, table, "UPDATE {table} SET due_at = {now} + :lease", MINE);
        this.remove = new RecordChange(dialect, table, "DELETE FROM {table}", MINE);
        String failed = ", replay_failure_type = :type, replay_failure_message = :message, due_at = {now} + :wait";
        this.fail = new RecordChange(
                dialect, table, "UPDATE {table} SET replaying = FALSE, given_up = FALSE" + failed, MINE);
        this.giveUp = new RecordChange(
                dialect, table, "UPDATE {table} SET replaying = FALSE, given_up = TRUE" + failed, MINE);
        this.postpone = new RecordChange(
                dialect,
                table,
                "UPDATE {table} SET replaying = FALSE, replays = replays - 1, due_at = {now} + :wait",
                MINE);
        this.discard = new RecordChange(
                dialect, table, "DELETE FROM {table}", " WHERE id = :id AND (NOT replaying OR due_at <= {now})");
    }

    static Schema schema(Dialect dialect, String table) {
        return new Schema(
                dialect.schema(table, DEFINITIONS, INDEXED),
                table,
                COLUMNS,
                "Retry policies have 'dead-letter: true', and the table '" + table + "' for their letters",
                "resilience.dead-letter-store.jdbc.initialize-schema");
    }

    /** A letter that can be claimed, as long as it is as it was found. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(byte[] id, long fence, long dueAt) {}

    /** Keeps a letter, unless it is there. */
    boolean insert(Connection connection, DeadLetter letter, long wait) throws SQLException {
        Map<String, Object> values = failure(letter.failure());
        values.put("id", LetterIds.of(letter.policy(), letter.id()));
        values.put("policy", letter.policy());
        values.put("bean", letter.bean());
        values.put("operation", letter.operation());
        values.put("arguments", letter.arguments());
        values.put("attempts", letter.attempts());
        values.put("wait", wait);
        return exists.finds(connection, values) || insert.update(connection, values) == 1;
    }

    /** An exception's texts; PostgreSQL takes no NUL. */
    static Map<String, Object> failure(LetterFailure failure) {
        Map<String, Object> values = new HashMap<>();
        values.put("type", failure.type().replace("\0", ""));
        values.put("message", failure.message().replace("\0", ""));
        return values;
    }

    @Nullable
    StoredLetter find(Connection connection, byte[] id) throws SQLException {
        List<StoredLetter> found = letters(connection, find, Map.of("id", id));
        return found.isEmpty() ? null : found.get(0);
    }

    List<StoredLetter> list(Connection connection, String policy, int limit) throws SQLException {
        return letters(connection, list, ofPolicy(policy, limit));
    }

    List<Found> claimable(Connection connection, byte[] id) throws SQLException {
        return found(connection, claimable, Map.of("id", id));
    }

    List<Found> due(Connection connection, String policy, int limit) throws SQLException {
        return found(connection, due, ofPolicy(policy, limit));
    }

    Map<String, Long> sizes(Connection connection) throws SQLException {
        Map<String, Long> letters = new HashMap<>();
        try (PreparedStatement statement = sizes.prepare(connection, Map.of());
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                letters.put(row.getString("policy"), row.getLong("letters"));
            }
        }
        return letters;
    }

    private static Map<String, Object> ofPolicy(String policy, int limit) {
        return Map.of("first", LetterIds.first(policy), "last", LetterIds.last(policy), "batch", limit);
    }

    private static List<Found> found(Connection connection, NamedSql query, Map<String, ?> values) throws SQLException {
        List<Found> found = new ArrayList<>();
        try (PreparedStatement statement = query.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(new Found(row.getBytes("id"), row.getLong("fence"), row.getLong("due_at")));
            }
        }
        return found;
    }

    private static List<StoredLetter> letters(Connection connection, NamedSql query, Map<String, ?> values)
            throws SQLException {
        List<StoredLetter> letters = new ArrayList<>();
        try (PreparedStatement statement = query.prepare(connection, values);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                letters.add(letter(row));
            }
        }
        return letters;
    }

    private static StoredLetter letter(ResultSet row) throws SQLException {
        byte[] arguments = row.getBytes("arguments");
        DeadLetter letter = new DeadLetter(
                LetterIds.idIn(row.getBytes("id")),
                row.getString("policy"),
                row.getString("bean"),
                row.getString("operation"),
                arguments == null ? NOTHING : arguments,
                new LetterFailure(row.getString("failure_type"), text(row, "failure_message")),
                row.getInt("attempts"));
        String failed = row.getString("replay_failure_type");
        State state = state(row, failed != null);
        return new StoredLetter(
                letter,
                instant(row.getLong("stored_at")),
                state,
                row.getInt("replays"),
                failed == null || state == State.ABANDONED
                        ? null
                        : new LetterFailure(failed, text(row, "replay_failure_message")),
                row.getBoolean("given_up") && state != State.REPLAYING ? null : instant(row.getLong("due_at")));
    }

    private static State state(ResultSet row, boolean hasFailed) throws SQLException {
        if (row.getBoolean("replaying")) {
            return row.getLong("due_at") > row.getLong("now") ? State.REPLAYING : State.ABANDONED;
        }
        if (row.getInt("replays") == 0) {
            return State.WAITING;
        }
        if (!hasFailed) {
            return State.ABANDONED; // and refused since
        }
        return row.getBoolean("given_up") ? State.GIVEN_UP : State.FAILED;
    }

    /** No text at all is the same as NULL in a mode of H2. */
    private static String text(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(Micros.toDuration(micros));
    }
}
