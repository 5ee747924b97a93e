package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.RecordSelection;
import dev.resilience.idempotency.RecordSummary;
import dev.resilience.idempotency.RecordSummary.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds and changes the records that an operator means. A record that has changed since it was found is left alone. */
final class RecordSearch {

    private static final String ABANDONED =
            " WHERE id = :id AND fence = :fence AND state = 'R' AND valid_until <= {now}";

    private final NamedSql find;
    private final NamedSql resolve;
    private final NamedSql free;
    private final NamedSql delete;

    RecordSearch(Dialect dialect, String table) {
        this.find = dialect.sql(
                "SELECT id, operation, caller_hash, state, fence, valid_until, {now} AS now FROM {table}"
                        + " WHERE key_hash = :key_hash AND (state <> 'C' OR valid_until > {now})",
                table);
        this.resolve = dialect.sql("UPDATE {table} SET state = 'E'" + ABANDONED, table);
        this.free = dialect.sql("DELETE FROM {table}" + ABANDONED, table);
        this.delete = dialect.sql(
                "DELETE FROM {table} WHERE id = :id AND fence = :fence AND (state <> 'R' OR valid_until <= {now})",
                table);
    }

    List<Found> find(Connection connection, RecordSelection selection) throws SQLException {
        Set<String> operations =
                selection.operations().stream().map(Records::shortened).collect(Collectors.toSet());
        RecordSelection asWritten = new RecordSelection(selection.key(), operations, selection.caller());
        try (PreparedStatement statement = find.prepare(connection, Map.of("key_hash", selection.keyHash()));
                ResultSet row = statement.executeQuery()) {
            List<Found> found = new ArrayList<>();
            while (row.next()) {
                if (asWritten.includes(row.getString("operation"), row.getString("caller_hash"))) {
                    found.add(new Found(row.getString("id"), row.getLong("fence"), summary(row)));
                }
            }
            return found;
        }
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
                row.getString("operation"), row.getString("caller_hash"), state, ends ? Micros.toDuration(left) : null);
    }

    boolean resolve(Connection connection, Found record, boolean executed) throws SQLException {
        return (executed ? resolve : free).update(connection, record.identity()) == 1;
    }

    boolean delete(Connection connection, Found record) throws SQLException {
        return delete.update(connection, record.identity()) == 1;
    }

    /** A record, and what makes it this one. */
    record Found(String id, long fence, RecordSummary summary) {

        private Map<String, Object> identity() {
            return Map.of("id", id, "fence", fence);
        }
    }
}
