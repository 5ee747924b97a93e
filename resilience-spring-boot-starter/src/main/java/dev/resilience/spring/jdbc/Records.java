package dev.resilience.spring.jdbc;

import dev.resilience.idempotency.StoredResult;
import dev.resilience.idempotency.StoredResult.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The table of records, one method for each statement. A record is in state R, running, C, completed, or E, executed by
 * the word of an operator. Whatever is done by its owner names owner and fence, and changes one row or none.
 */
final class Records {

    private static final String VALUE = "V";
    private static final String EXCEPTION = "E";
    private static final String MINE = " WHERE id = :id AND owner = :owner AND fence = :fence AND state = 'R'";
    private static final String OVER = "state = 'R' AND valid_until <= {now}";

    private final NamedSql claim;
    private final @Nullable NamedSql insert;
    private final NamedSql takeOver;
    private final NamedSql renew;
    private final NamedSql complete;
    private final NamedSql release;
    private final NamedSql find;
    private final NamedSql resolve;
    private final NamedSql free;
    private final NamedSql delete;
    private final NamedSql expired;
    private final String remove;

    Records(Dialect dialect, String table) {
        this.claim = dialect.claim(table);
        this.insert = dialect.insert(table);
        this.takeOver = dialect.sql(
                "UPDATE {table} SET fingerprint = :fingerprint, state = 'R', owner = :owner, fence = :new_fence,"
                        + " take_over = :take_over, valid_until = {now} + :lease, kind = '', result = NULL"
                        + " WHERE id = :id AND fence = :fence AND state = :state AND valid_until <= {now}",
                table);
        this.renew = dialect.sql("UPDATE {table} SET valid_until = {now} + :lease" + MINE, table);
        this.complete = dialect.sql(
                "UPDATE {table} SET state = 'C', kind = :kind, result = :result, valid_until = {now} + :ttl" + MINE,
                table);
        this.release = dialect.sql("DELETE FROM {table}" + MINE, table);
        this.find = dialect.sql(
                "SELECT id, operation, caller_hash, state, fence, valid_until, {now} AS now FROM {table}"
                        + " WHERE key_hash = :key_hash",
                table);
        String abandoned = " WHERE id = :id AND fence = :fence AND " + OVER;
        this.resolve = dialect.sql("UPDATE {table} SET state = 'E'" + abandoned, table);
        this.free = dialect.sql("DELETE FROM {table}" + abandoned, table);
        this.delete = dialect.sql(
                "DELETE FROM {table} WHERE id = :id AND fence = :fence AND (state <> 'R' OR valid_until <= {now})",
                table);
        this.expired = dialect.sql(
                "SELECT id FROM {table} WHERE valid_until <= {now} - :grace AND state = 'R' AND take_over"
                        + " OR valid_until <= {now} AND state = 'C'"
                        + " ORDER BY valid_until LIMIT :batch FOR UPDATE SKIP LOCKED",
                table);
        this.remove = "DELETE FROM " + table + " WHERE id = ?";
    }

    /** What there is under an id. */
    record Found(
            char state,
            String fingerprint,
            long fence,
            long left,
            @Nullable StoredResult result,
            long now) {}

    /** What an operator sees. */
    record Listed(String id, String operation, String callerHash, char state, long fence, long left) {}

    /** Returns what there is, which is state A if it was inserted; {@code null} if another claim came in between. */
    @Nullable
    Found claim(Connection connection, Map<String, Object> request) throws SQLException {
        Found found = look(connection, request);
        if (found != null || insert == null) {
            return found;
        }
        insert.update(connection, request);
        return look(connection, request);
    }

    private @Nullable Found look(Connection connection, Map<String, Object> request) throws SQLException {
        try (PreparedStatement statement = claim.prepare(connection, request);
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            long now = row.getLong("now");
            return new Found(
                    row.getString("state").charAt(0),
                    row.getString("fingerprint"),
                    row.getLong("fence"),
                    row.getLong("valid_until") - now,
                    result(row),
                    now);
        }
    }

    private static @Nullable StoredResult result(ResultSet row) throws SQLException {
        byte[] content = row.getBytes("result");
        boolean value = row.getString("kind").equals(VALUE);
        return content == null ? null : new StoredResult(value ? Kind.VALUE : Kind.EXCEPTION, content);
    }

    /** Makes an expired or abandoned record the claimant's; {@code false} if it has changed meanwhile. */
    boolean takeOver(Connection connection, Map<String, Object> request, Found found, long newFence)
            throws SQLException {
        Map<String, Object> values = new HashMap<>(request);
        values.put("state", String.valueOf(found.state()));
        values.put("fence", found.fence());
        values.put("new_fence", newFence);
        return takeOver.update(connection, values) == 1;
    }

    boolean renew(Connection connection, Map<String, Object> ownership, long lease) throws SQLException {
        return renew.update(connection, with(ownership, "lease", lease)) == 1;
    }

    boolean complete(Connection connection, Map<String, Object> ownership, StoredResult result, long ttl)
            throws SQLException {
        Map<String, Object> values = with(ownership, "ttl", ttl);
        values.put("kind", result.kind() == Kind.VALUE ? VALUE : EXCEPTION);
        values.put("result", result.content());
        return complete.update(connection, values) == 1;
    }

    boolean release(Connection connection, Map<String, Object> ownership) throws SQLException {
        return release.update(connection, ownership) == 1;
    }

    List<Listed> find(Connection connection, String keyHash) throws SQLException {
        try (PreparedStatement statement = find.prepare(connection, Map.of("key_hash", keyHash));
                ResultSet row = statement.executeQuery()) {
            List<Listed> found = new ArrayList<>();
            while (row.next()) {
                found.add(new Listed(
                        row.getString("id"),
                        row.getString("operation"),
                        row.getString("caller_hash"),
                        row.getString("state").charAt(0),
                        row.getLong("fence"),
                        row.getLong("valid_until") - row.getLong("now")));
            }
            return found;
        }
    }

    boolean resolve(Connection connection, Listed record, boolean executed) throws SQLException {
        return (executed ? resolve : free).update(connection, identity(record)) == 1;
    }

    boolean delete(Connection connection, Listed record) throws SQLException {
        return delete.update(connection, identity(record)) == 1;
    }

    /** Removes what nobody will miss, so many at the most, and returns how many there were. In one transaction. */
    int expire(Connection connection, int batch, long grace) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement select = expired.prepare(connection, Map.of("batch", batch, "grace", grace));
                ResultSet row = select.executeQuery();
                PreparedStatement delete = connection.prepareStatement(remove)) {
            int removed = 0;
            while (row.next()) {
                delete.setString(1, row.getString(1));
                delete.addBatch();
                removed++;
            }
            if (removed > 0) {
                delete.executeBatch();
            }
            connection.commit();
            return removed;
        } catch (SQLException | RuntimeException | Error failure) {
            connection.rollback();
            throw failure;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static Map<String, Object> identity(Listed record) {
        return Map.of("id", record.id(), "fence", record.fence());
    }

    private static Map<String, Object> with(Map<String, Object> values, String name, Object value) {
        Map<String, Object> more = new HashMap<>(values);
        more.put(name, value);
        return more;
    }
}
