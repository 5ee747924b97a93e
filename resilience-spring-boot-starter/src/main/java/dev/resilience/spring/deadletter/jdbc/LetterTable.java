package dev.resilience.spring.deadletter.jdbc;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.idempotency.jdbc.Dialect;
import dev.resilience.spring.idempotency.jdbc.Dialect.Schema;
import dev.resilience.spring.idempotency.jdbc.NamedSql;
import dev.resilience.spring.idempotency.jdbc.RowChange;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The statements about the table of letters, and its rows. A letter has three states: {@code W} waits until {@code due_at}, also
 * after a replay that failed; {@code R} is being replayed, and its lease ends at {@code due_at}; {@code G} is given up, and {@code due_at}
 * is when that was, below zero: so one index finds what is due and what was given up long ago, past the many that are neither. The
 * clock stands in a subquery there: PostgreSQL looks nothing up in an index by a function that it must ask for each row.
 *
 * <p>The primary key is 12 bytes of the hash of the policy's name, so that the letters of one policy lie side by side, and then
 * the letter's id. No collation compares bytes.
 */
final class LetterTable {

    private static final String COLUMNS =
            "id, policy, bean, operation, arguments, failure_type, failure_message, attempts,"
                    + " stored_at, state, replays, fence, due_at";
    private static final String DEFINITIONS = """
            id              {id} NOT NULL PRIMARY KEY,
            policy          VARCHAR(500) NOT NULL,
            bean            VARCHAR(500) NOT NULL,
            operation       VARCHAR(500) NOT NULL,
            arguments       {binary},
            failure_type    VARCHAR(500) NOT NULL,
            failure_message VARCHAR(1000),
            attempts        INT NOT NULL,
            stored_at       BIGINT NOT NULL,
            state           CHAR(1) NOT NULL,
            replays         INT NOT NULL,
            fence           BIGINT NOT NULL,
            due_at          BIGINT""";

    private static final int POLICY_BYTES = 12;
    private static final int KEY_BYTES = 48;

    private static final String OF_POLICY = " WHERE id BETWEEN :first AND :last";
    private static final String FREE = " WHERE id = :id AND (state <> 'R' OR due_at <= {now})";
    private static final String MINE = " WHERE id = :id AND fence = :fence AND state = 'R'";
    private static final byte[] NOTHING = {};

    private final NamedSql insert;
    final NamedSql find;
    final NamedSql list;
    final NamedSql sizes;
    final NamedSql due;
    final NamedSql claimable;
    final NamedSql givenUp;
    final RowChange claim;
    final RowChange renew;
    final RowChange remove;
    final RowChange fail;
    final RowChange postpone;
    final RowChange discard;
    final RowChange removeGivenUp;

    LetterTable(Dialect dialect, String table) {
        this.insert = dialect.sql(
                "{insert} INTO {table} (" + COLUMNS
                        + ") VALUES (:id, :policy, :bean, :operation, :arguments, :type, :message,"
                        + " :attempts, {now}, 'W', 0, {now}, {now} + :wait)",
                table);
        String select = "SELECT " + COLUMNS + ", {now} AS now FROM {table}";
        this.find = dialect.sql(select + " WHERE id = :id", table);
        this.list = dialect.sql(select + OF_POLICY + " ORDER BY stored_at, id {first}", table);
        this.sizes = dialect.sql(
                // not by the name, which a collation may take for another one
                "SELECT MIN(policy) AS policy, COUNT(*) AS letters FROM {table} GROUP BY SUBSTRING(id, 1, "
                        + POLICY_BYTES + ")",
                table);
        String look = "SELECT id, fence FROM {table}";
        this.claimable = dialect.sql(look + FREE, table);
        this.due = dialect.sql(
                look + OF_POLICY + " AND due_at BETWEEN 0 AND (SELECT {now}) ORDER BY due_at {first}", table);
        this.givenUp = dialect.sql(look + " WHERE due_at >= :age - (SELECT {now}) AND due_at < 0 {first}", table);
        this.claim = new RowChange(
                dialect,
                table,
                "UPDATE {table} SET state = 'R', replays = replays + 1, fence = fence + 1, due_at = {now} + :lease",
                FREE + " AND fence = :fence");
        this.renew = new RowChange(dialect, table, "UPDATE {table} SET due_at = {now} + :lease", MINE);
        this.remove = new RowChange(dialect, table, "DELETE FROM {table}", MINE);
        String end =
                "UPDATE {table} SET state = :state, due_at = CASE WHEN :state = 'G' THEN -{now} ELSE {now} + :wait END";
        this.fail = new RowChange(dialect, table, end + ", failure_type = :type, failure_message = :message", MINE);
        this.postpone = new RowChange(dialect, table, end + ", replays = replays - 1", MINE);
        this.discard = new RowChange(dialect, table, "DELETE FROM {table}", FREE);
        this.removeGivenUp = new RowChange(
                dialect, table, "DELETE FROM {table}", " WHERE id = :id AND fence = :fence AND state = 'G'");
    }

    static Schema schema(String table) {
        return new Schema(
                table,
                DEFINITIONS,
                "due_at",
                "Retry policies have 'dead-letter: true'",
                "letters",
                "dead-letter-store");
    }

    /** A letter that can be claimed, as long as it is as it was found. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(byte[] id, long fence) {}

    static byte[] key(String policy, String id) {
        byte[] ofLetter = id.getBytes(StandardCharsets.UTF_8);
        byte[] key = Arrays.copyOf(hash(policy), POLICY_BYTES + ofLetter.length);
        System.arraycopy(ofLetter, 0, key, POLICY_BYTES, ofLetter.length);
        return key;
    }

    private static byte[] hash(String policy) {
        return Arrays.copyOf(RecordKey.sha256().digest(policy.getBytes(StandardCharsets.UTF_8)), POLICY_BYTES);
    }

    /** Keeps a letter, unless it is there. */
    boolean insert(Connection connection, DeadLetter letter, long wait) throws SQLException {
        Map<String, Object> values = failure(letter.failure());
        values.put("id", key(letter.policy(), letter.id()));
        values.put("policy", letter.policy());
        values.put("bean", letter.bean());
        values.put("operation", letter.operation());
        values.put("arguments", letter.arguments());
        values.put("attempts", letter.attempts());
        values.put("wait", wait);
        return find.finds(connection, values) || insert.update(connection, values) == 1;
    }

    /** An exception's texts; PostgreSQL takes no NUL. */
    static Map<String, Object> failure(LetterFailure failure) {
        Map<String, Object> values = new HashMap<>();
        values.put("type", failure.type().replace("\0", ""));
        values.put("message", failure.message().replace("\0", ""));
        return values;
    }

    static Map<String, Object> ofPolicy(String policy, int limit) {
        byte[] first = hash(policy);
        byte[] last = Arrays.copyOf(first, KEY_BYTES);
        Arrays.fill(last, POLICY_BYTES, KEY_BYTES, (byte) 0xFF);
        return Map.of("first", first, "last", last, "batch", limit);
    }

    static Found found(ResultSet row) throws SQLException {
        return new Found(row.getBytes("id"), row.getLong("fence"));
    }

    static StoredLetter letter(ResultSet row) throws SQLException {
        byte[] key = row.getBytes("id");
        byte[] arguments = row.getBytes("arguments");
        String message = row.getString("failure_message"); // no text at all is the same as NULL in a mode of H2
        DeadLetter letter = new DeadLetter(
                new String(key, POLICY_BYTES, key.length - POLICY_BYTES, StandardCharsets.UTF_8),
                row.getString("policy"),
                row.getString("bean"),
                row.getString("operation"),
                arguments == null ? NOTHING : arguments,
                new LetterFailure(row.getString("failure_type"), message == null ? "" : message),
                row.getInt("attempts"));
        State state = switch (row.getString("state")) {
            case "R" -> State.REPLAYING;
            case "G" -> State.GIVEN_UP;
            default -> State.WAITING;
        };
        int replays = row.getInt("replays");
        long dueAt = row.getLong("due_at");
        return new StoredLetter(
                letter,
                instant(row.getLong("stored_at")),
                State.of(state, replays, dueAt > row.getLong("now")),
                replays,
                state == State.GIVEN_UP ? null : instant(dueAt));
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(Dialect.duration(micros));
    }
}
