package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.RecordSummary.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds and changes the records that an operator means. A record that has changed since it was found is left alone, and
 * so is one that a transaction has locked: its owner is about to complete it.
 */
final class RecordSearch {

    private static final String AS_FOUND =
            " WHERE id = :id AND fence = :fence AND state = :state AND (state <> 'R' OR valid_until <= {now})";
    private static final String ABANDONED = AS_FOUND + " AND state = 'R'";

    private final NamedSql find;
    private final RecordChange resolve;
    private final RecordChange free;
    private final RecordChange delete;

    RecordSearch(Dialect dialect, String table) {
        this.find = dialect.sql(
                "SELECT id, operation, caller_hash, state, fence, valid_until, {now} AS now FROM {table}"
                        + " WHERE id BETWEEN :first AND :last AND (state <> 'C' OR valid_until > {now})",
                table);
        this.resolve = new RecordChange(dialect, table, "UPDATE {table} SET state = 'E'", ABANDONED);
        this.free = new RecordChange(dialect, table, "DELETE FROM {table}", ABANDONED);
        this.delete = new RecordChange(dialect, table, "DELETE FROM {table}", AS_FOUND);
    }

    List<Found> find(Connection connection, RecordSelection selection) throws SQLException {
        List<Found> found = new ArrayList<>();
        for (Found record : select(connection, selection)) {
            boolean isLocked =
                    record.summary().state() == State.ABANDONED && !delete.isFree(connection, record.identity());
            found.add(isLocked ? record.inProgress() : record);
        }
        return found;
    }

    private List<Found> select(Connection connection, RecordSelection selection) throws SQLException {
        Set<String> operations =
                selection.operations().stream().map(RecordTable::shortened).collect(Collectors.toSet());
        RecordSelection asWritten = new RecordSelection(selection.key(), operations, selection.caller());
        try (PreparedStatement statement = find.prepare(connection, RecordIds.allOf(selection));
                ResultSet row = statement.executeQuery()) {
            List<Found> found = new ArrayList<>();
            while (row.next()) {
                if (asWritten.includes(row.getString("operation"), row.getString("caller_hash"))) {
                    found.add(new Found(
                            Map.of(
                                    "id", row.getBytes("id"),
                                    "fence", row.getLong("fence"),
                                    "state", row.getString("state")),
                            summary(row)));
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
        return (executed ? resolve : free).unlessLocked(connection, record.identity());
    }

    boolean delete(Connection connection, Found record) throws SQLException {
        return delete.unlessLocked(connection, record.identity());
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
