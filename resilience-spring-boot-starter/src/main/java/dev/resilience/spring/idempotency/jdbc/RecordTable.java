package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.idempotency.store.StoredResult.Kind;
import dev.resilience.spring.idempotency.jdbc.Dialect.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.CollectionUtils;

/**
 * The table of records, one method for each statement. A record is in state R, running, C, completed, or E, executed by
 * the word of an operator. What its owner does names owner and fence, and changes one row or none.
 */
final class RecordTable {

    /** In place of no text at all, which is the same as NULL in a mode of H2. */
    private static final String NONE = "-";

    /** No index has a column that renewals and results change: such an update touches no index in PostgreSQL ("heap-only"). */
    private static final String DEFINITIONS = """
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
            result        {binary}""";

    private static final String VALUE = "V";
    private static final String EXCEPTION = "E";
    private static final String OF_CLAIM = " WHERE id = :id AND owner = :owner AND fence = :fence";
    private static final String MINE = OF_CLAIM + " AND state = 'R'";
    private static final String AS_FOUND =
            " WHERE id = :id AND fence = :fence AND state = :state AND valid_until <= {now}";
    private static final int LONGEST_OPERATION = 1_000;

    /** Not where a batch of expired records begins. */
    static final long ALL_REMOVED = -1;

    private static final byte[] NOTHING = {};

    private final NamedSql claim;
    private final @Nullable NamedSql insert;
    private final RowChange replace;
    private final RowChange renew;
    private final RowChange complete;
    private final RowChange release;
    private final NamedSql lockMine;
    private final NamedSql lookAtMine;
    private final NamedSql expired;
    private final String remove;

    RecordTable(Dialect dialect, String table) {
        this.claim = dialect.claim(table);
        this.insert = dialect.insert(table);
        this.replace = new RowChange(
                dialect,
                table,
                "UPDATE {table} SET fingerprint = :fingerprint, state = 'R', owner = :owner, fence = :new_fence,"
                        + " take_over = :take_over, valid_until = {now} + :lease, cleanup_after = {now} + :ttl, kind = '-',"
                        + " result = NULL",
                AS_FOUND);
        this.renew = new RowChange(dialect, table, "UPDATE {table} SET valid_until = {now} + :lease", MINE);
        this.complete = new RowChange(
                dialect,
                table,
                "UPDATE {table} SET state = 'C', kind = :kind, result = :result, valid_until = {now} + :ttl",
                MINE);
        this.release = new RowChange(dialect, table, "DELETE FROM {table}", MINE);
        this.lookAtMine = dialect.sql("SELECT state FROM {table}" + OF_CLAIM, table);
        this.lockMine = dialect.sql("SELECT state FROM {table}" + OF_CLAIM + " FOR UPDATE SKIP LOCKED", table);
        this.expired = dialect.sql(
                // The time in a query of its own: PostgreSQL takes no value that may change for the end of an index
                // scan.
                "SELECT id, cleanup_after FROM {table} WHERE cleanup_after BETWEEN :from AND (SELECT {now})"
                        + " AND (state = 'C' AND valid_until <= {now}"
                        + " OR state = 'R' AND take_over AND valid_until <= {now} - :grace)"
                        + " ORDER BY cleanup_after {first} FOR UPDATE SKIP LOCKED",
                table);
        this.remove = "DELETE FROM " + table + " WHERE id = ?";
    }

    static Schema schema(String table) {
        return new Schema(
                table, DEFINITIONS, "cleanup_after", "Methods are @Idempotent", "records", "idempotency-store");
    }

    /** What there is under an id. */
    record Found(char state, String fingerprint, long fence, long left, StoredResult result, long now) {

        long nextFence() {
            return Math.max(fence + 1, now);
        }

        private Found inserted() {
            return new Found('A', fingerprint, fence, left, result, now);
        }

        /** Whether no other call has claimed it, nor its owner completed it. */
        boolean isSameClaimAs(@Nullable Found other) {
            return other != null && state == other.state && fence == other.fence;
        }
    }

    /**
     * Returns what there is, which is state A if it was inserted, and M if it is in progress and has the same owner;
     * {@code null} if another claim came in between.
     */
    @Nullable
    Found claim(Connection connection, ClaimRequest request) throws SQLException {
        Map<String, Object> values = values(request);
        Found found = look(connection, values);
        if (found != null || insert == null) {
            return found;
        }
        boolean inserted = insert.update(connection, values) == 1;
        found = look(connection, values);
        return inserted && found != null && found.state() == 'M' ? found.inserted() : found;
    }

    private @Nullable Found look(Connection connection, Map<String, Object> values) throws SQLException {
        return CollectionUtils.firstElement(claim.rows(connection, values, RecordTable::found));
    }

    private static Found found(ResultSet row) throws SQLException {
        long now = row.getLong("now");
        return new Found(
                row.getString("state").charAt(0),
                row.getString("fingerprint").replace(NONE, ""),
                row.getLong("fence"),
                row.getLong("valid_until") - now,
                result(row),
                now);
    }

    /** Empty, which nothing can read, where there is none. */
    private static StoredResult result(ResultSet row) throws SQLException {
        byte[] content = row.getBytes("result");
        boolean value = row.getString("kind").equals(VALUE);
        return new StoredResult(value ? Kind.VALUE : Kind.EXCEPTION, content == null ? NOTHING : content);
    }

    /** Whether an overdue record can be had; {@code false} if it has changed meanwhile, or a transaction has it locked. */
    boolean isAbandoned(Connection connection, ClaimRequest request, Found found) throws SQLException {
        return replace.isFree(connection, values(request, found));
    }

    /**
     * Makes an abandoned record, or one with an expired result, the claimant's; {@code false} if it has changed meanwhile.
     *
     * @param waits whether it is waited, for a while, for a transaction that has the record locked; otherwise it is not had
     */
    boolean replace(Connection connection, ClaimRequest request, Found found, boolean waits) throws SQLException {
        Map<String, Object> values = values(request, found);
        return waits ? replace.inOwnTransaction(connection, values) : replace.skipLocked(connection, values);
    }

    OwnerChange renewal(LeaseToken token, Duration lease) {
        return new OwnerChange(token, renew, Map.of("lease", Dialect.micros(lease)));
    }

    OwnerChange completion(LeaseToken token, StoredResult result, Duration ttl) {
        Map<String, Object> values = Map.of(
                "ttl", Dialect.micros(ttl),
                "kind", result.kind() == Kind.VALUE ? VALUE : EXCEPTION,
                "result", result.content());
        return new OwnerChange(token, complete, values);
    }

    OwnerChange release(LeaseToken token) {
        return new OwnerChange(token, release, Map.of());
    }

    /** What an owner does to its record, and to no other's. */
    final class OwnerChange {

        private final LeaseToken token;
        private final RowChange change;
        private final Map<String, Object> values;

        private OwnerChange(LeaseToken token, RowChange change, Map<String, Object> specific) {
            this.token = token;
            this.change = change;
            this.values = values(token);
            values.putAll(specific);
        }

        /**
         * On a connection with auto-commit. Waits for another change that takes a moment.
         *
         * @return false if the record is not the owner's any more; true if it is completed already, by the same owner
         * @throws RecordLockedException if a transaction has the record locked
         */
        boolean committed(Connection connection) throws SQLException {
            Boolean changed = RowChange.repeated(() -> {
                if (skipLocked(connection)) {
                    return true;
                }
                ClaimStatus status = status(connection, token);
                boolean isOver = status == ClaimStatus.COMPLETED || status == ClaimStatus.LOST;
                return isOver ? change == complete && status == ClaimStatus.COMPLETED : null;
            });
            if (changed == null) {
                throw new RecordLockedException("A transaction has an idempotency record locked");
            }
            return changed;
        }

        /** On a connection with auto-commit; {@code false} too if a transaction has the record locked. */
        boolean skipLocked(Connection connection) throws SQLException {
            return change.skipLocked(connection, values);
        }

        /**
         * In a transaction; fails if another one has the record locked for long.
         *
         * @return false if the record is not the owner's any more, or is completed
         */
        boolean inTransaction(Connection connection) throws SQLException {
            return change.inTransaction(connection, values);
        }
    }

    /** What has become of a claim; locks its record, unless a transaction has it locked already, and never waits. */
    ClaimStatus status(Connection connection, LeaseToken token) throws SQLException {
        Map<String, Object> values = values(token);
        String unlocked = lockMine.text(connection, values);
        String state = unlocked == null ? lookAtMine.text(connection, values) : unlocked;
        if ("C".equals(state)) {
            return ClaimStatus.COMPLETED;
        }
        if (!"R".equals(state)) {
            return ClaimStatus.LOST;
        }
        return unlocked == null ? ClaimStatus.LOCKED : ClaimStatus.IN_PROGRESS;
    }

    /** As {@link #status}, in a transaction, for which the record stays locked in MySQL and MariaDB alone. */
    ClaimStatus statusInTransaction(Connection connection, LeaseToken token) throws SQLException {
        Savepoint before = connection.setSavepoint();
        ClaimStatus status = status(connection, token);
        connection.rollback(before);
        return status;
    }

    /**
     * Removes what is of no use any more.
     *
     * @param from where the batch before this one has ended, so that records which stay are passed over once and not in
     *     each batch; 0 for the first
     * @param batch how many at the most
     * @param grace how long after its lease an abandoned record stays
     * @return where the next batch begins; {@link #ALL_REMOVED} if there is none
     */
    long expire(Connection connection, long from, int batch, Duration grace) throws SQLException {
        Map<String, Object> values = Map.of("from", from, "batch", batch, "grace", Dialect.micros(grace));
        return JdbcStore.inTransaction(connection, own -> {
            List<Expired> found =
                    expired.rows(own, values, row -> new Expired(row.getBytes("id"), row.getLong("cleanup_after")));
            try (PreparedStatement delete = own.prepareStatement(remove)) {
                for (Expired record : found) {
                    delete.setBytes(1, record.id());
                    delete.addBatch();
                }
                delete.executeBatch();
            }
            return found.size() < batch ? ALL_REMOVED : found.get(batch - 1).cleanupAfter();
        });
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Expired(byte[] id, long cleanupAfter) {}

    private static Map<String, Object> values(ClaimRequest request) {
        Map<String, Object> values = new HashMap<>();
        values.put("id", RecordSearch.id(request.key()));
        values.put("caller_hash", request.key().callerHash());
        values.put("operation", shortened(request.key().operation()));
        values.put("fingerprint", request.fingerprint().isEmpty() ? NONE : request.fingerprint());
        values.put("owner", request.owner());
        values.put("take_over", request.takeOver());
        values.put("lease", Dialect.micros(request.lease()));
        values.put("ttl", Dialect.micros(request.ttl()));
        return values;
    }

    private static Map<String, Object> values(ClaimRequest request, Found found) {
        Map<String, Object> values = values(request);
        values.put("state", String.valueOf(found.state()));
        values.put("fence", found.fence());
        values.put("new_fence", found.nextFence());
        return values;
    }

    private static Map<String, Object> values(LeaseToken token) {
        Map<String, Object> values = new HashMap<>();
        values.put("id", RecordSearch.id(token.key()));
        values.put("owner", token.owner());
        values.put("fence", token.fence());
        return values;
    }

    /** The name of a method as the table has it. */
    static String shortened(String operation) {
        return operation.substring(0, Math.min(LONGEST_OPERATION, operation.length()));
    }
}
