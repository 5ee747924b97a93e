package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.RecordSummary.State;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds and changes the records that an operator means. A record that has changed since it was found is left alone, and
 * so is one that a transaction has locked: its owner is about to complete it.
 */
final class RecordSearch {

    private static final int BYTES_OF_KEY = 16;
    private static final int BYTES = BYTES_OF_KEY + 32;

    private static final String AS_FOUND =
            " WHERE id = :id AND fence = :fence AND state = :state AND (state <> 'R' OR valid_until <= {now})";
    private static final String ABANDONED = AS_FOUND + " AND state = 'R'";

    private final NamedSql find;
    final RowChange resolve;
    final RowChange free;
    final RowChange delete;

    RecordSearch(Dialect dialect, String table) {
        this.find = dialect.sql(
                "SELECT id, operation, caller_hash, state, fence, valid_until, {now} AS now FROM {table}"
                        + " WHERE id BETWEEN :first AND :last AND (state <> 'C' OR valid_until > {now})",
                table);
        this.resolve = new RowChange(dialect, table, "UPDATE {table} SET state = 'E'", ABANDONED);
        this.free = new RowChange(dialect, table, "DELETE FROM {table}", ABANDONED);
        this.delete = new RowChange(dialect, table, "DELETE FROM {table}", AS_FOUND);
    }

    List<Found> find(Connection connection, RecordSelection selection) throws SQLException {
        Set<String> operations =
                selection.operations().stream().map(RecordTable::shortened).collect(Collectors.toSet());
        RecordSelection asWritten = new RecordSelection(selection.key(), operations, selection.caller());
        byte[] first = firstId(selection.keyHash());
        byte[] last = first.clone();
        Arrays.fill(last, BYTES_OF_KEY, BYTES, (byte) 0xFF);
        List<Found> found = new ArrayList<>();
        for (Found record : find.rows(connection, Map.of("first", first, "last", last), RecordSearch::found)) {
            RecordSummary summary = record.summary();
            if (asWritten.includes(summary.operation(), summary.callerHash())) {
                boolean isLocked = summary.state() == State.ABANDONED && !delete.isFree(connection, record.identity());
                found.add(isLocked ? record.inProgress() : record);
            }
        }
        return found;
    }

    private static Found found(ResultSet row) throws SQLException {
        Map<String, Object> identity = Map.of(
                "id", row.getBytes("id"),
                "fence", row.getLong("fence"),
                "state", row.getString("state"));
        return new Found(identity, summary(row));
    }

    /**
     * The primary key of a record: 16 bytes of the idempotency key's hash, so that the records of one key lie side by side and
     * a search needs no index of its own, and then the 32 bytes of the record's id. No collation compares bytes.
     */
    static byte[] id(RecordKey key) {
        byte[] id = firstId(key.keyHash());
        byte[] ofRecord = HexFormat.of().parseHex(key.id());
        System.arraycopy(ofRecord, 0, id, BYTES_OF_KEY, ofRecord.length);
        return id;
    }

    /** Less than the ids of all records of an idempotency key. */
    private static byte[] firstId(String keyHash) {
        return Arrays.copyOf(HexFormat.of().parseHex(keyHash, 0, 2 * BYTES_OF_KEY), BYTES);
    }

    private static RecordSummary summary(ResultSet row) throws SQLException {
        long left = Math.max(0, row.getLong("valid_until") - row.getLong("now"));
        State state = switch (row.getString("state")) {
            case "C" -> State.COMPLETED;
            case "E" -> State.EXECUTED;
            default -> left > 0 ? State.IN_PROGRESS : State.ABANDONED;
        };
        boolean ends = state == State.IN_PROGRESS || state == State.COMPLETED;
        return new RecordSummary(
                row.getString("operation"), row.getString("caller_hash"), state, ends ? Dialect.duration(left) : null);
    }

    /** Changes the records, if they are still as they were found, and returns how many that were. */
    int change(Connection connection, RecordSelection selection, RowChange change) throws SQLException {
        int changed = 0;
        for (Found record : find(connection, selection)) {
            changed += change.skipLocked(connection, record.identity()) ? 1 : 0;
        }
        return changed;
    }

    /**
     * A record.
     *
     * @param identity what makes it this one: id, fence and state
     */
    record Found(Map<String, Object> identity, RecordSummary summary) {

        private Found inProgress() {
            return new Found(
                    identity,
                    new RecordSummary(summary.operation(), summary.callerHash(), State.IN_PROGRESS, Duration.ZERO));
        }
    }
}
