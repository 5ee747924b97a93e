package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a connection: its transaction with what it has written, its row locks and its snapshot. Outside
 * a transaction every statement commits by itself. A session whose client is gone lives until the server notices.
 */
final class Session {

    /** How long a statement of the store waits for a lock. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(1);

    private final SimulatedDatabase database;
    private @Nullable Isolation isolation;
    private long snapshot = -1;
    private Map<RecordKey, Write> writes = new LinkedHashMap<>();
    private List<SimulatedBody> effects = new ArrayList<>();
    private Set<VersionedRow> locks = new LinkedHashSet<>();
    private @Nullable VersionedRow waitsFor;
    private boolean failed;
    private boolean orphan;
    private boolean closed;

    Session(SimulatedDatabase database) {
        this.database = database;
    }

    /**
     * What a transaction makes of a row; no content deletes it.
     *
     * @param fence of the claim in whose name it is done
     */
    record Write(@Nullable StoredRecord content, long fence) {}

    /** What a rollback to a savepoint goes back to. */
    record Savepoint(Map<RecordKey, Write> writes, List<SimulatedBody> effects, Set<VersionedRow> locks) {}

    boolean isClosed() {
        return closed;
    }

    boolean isOrphan() {
        return orphan;
    }

    /** The client is gone, of which the server has not been told. */
    void orphan() {
        orphan = true;
    }

    boolean isInTransaction() {
        return isolation != null;
    }

    boolean holdsLocks() {
        return !locks.isEmpty();
    }

    void begin(Isolation level) {
        isolation = level;
        snapshot = -1;
    }

    /** What a statement sees. */
    @Nullable
    StoredRecord look(RecordKey key) {
        usable();
        Write own = writes.get(key);
        VersionedRow row = database.row(key);
        return own != null ? own.content() : isSnapshot() ? row.asOf(snapshot()) : row.latest();
    }

    private boolean isSnapshot() {
        return isolation != null && isolation.isSnapshot();
    }

    /** Taken by the first statement of a transaction, not by its beginning. */
    private long snapshot() {
        if (snapshot < 0) {
            snapshot = database.lastCommit();
        }
        return snapshot;
    }

    /**
     * Changes a row that the statement sees and that meets the condition. Waits for the session that has it locked, and then looks
     * again: in a snapshot a change by another fails, otherwise the condition decides once more.
     */
    boolean update(
            RecordKey key, long fence, Predicate<StoredRecord> where, UnaryOperator<@Nullable StoredRecord> change) {
        StoredRecord seen = look(key);
        if (seen == null || !where.test(seen)) {
            return false;
        }
        VersionedRow row = database.row(key);
        awaitLock(row);
        if (!writes.containsKey(key)) {
            refuseIfChanged(row);
            seen = row.latest();
            if (seen == null || !where.test(seen)) {
                return false;
            }
        }
        lock(row);
        writes.put(key, new Write(change.apply(seen), fence));
        commitIfAlone();
        return true;
    }

    /** As {@link #update}, but does not wait: {@code WHERE id = (SELECT id … FOR UPDATE SKIP LOCKED)} */
    boolean updateUnlessLocked(
            RecordKey key, long fence, Predicate<StoredRecord> where, UnaryOperator<@Nullable StoredRecord> change) {
        return !database.row(key).isLockedAgainst(this) && update(key, fence, where, change);
    }

    /** {@code SELECT … FOR UPDATE SKIP LOCKED} */
    boolean lockUnlessLocked(RecordKey key, Predicate<StoredRecord> where) {
        StoredRecord seen = look(key);
        VersionedRow row = database.row(key);
        if (seen == null || !where.test(seen)) {
            return false;
        }
        if (!writes.containsKey(key)) {
            refuseIfChanged(row); // whether its successor is locked or not
        }
        if (row.isLockedAgainst(this)) {
            return false;
        }
        if (isolation != null) {
            lock(row);
        }
        return true;
    }

    /** {@code INSERT … ON CONFLICT DO NOTHING}: never meets a row that is not committed yet, because claims commit at once. */
    boolean insert(RecordKey key, StoredRecord content) {
        return database.row(key).latest() == null && upsert(key, content);
    }

    /** Writes over what there is: no statement of a sound store. */
    boolean upsert(RecordKey key, StoredRecord content) {
        writes.put(key, new Write(content, content.fence()));
        commitIfAlone();
        return true;
    }

    void addEffect(SimulatedBody body) {
        usable();
        snapshot();
        effects.add(body);
        commitIfAlone();
    }

    private void refuseIfChanged(VersionedRow row) {
        if (isSnapshot() && row.hasChangedSince(snapshot())) {
            failed = true;
            throw new SqlFailure("40001: could not serialize access due to concurrent update");
        }
    }

    private void lock(VersionedRow row) {
        row.lock(this);
        locks.add(row);
    }

    /** For as long as {@code lock_timeout} allows. */
    private void awaitLock(VersionedRow row) {
        Baton baton = database.baton();
        long until = baton.now() + LOCK_TIMEOUT.toNanos();
        if (row.isLockedAgainst(this)) {
            baton.after(LOCK_TIMEOUT, () -> {}); // so that there is such a moment
        }
        while (row.isLockedAgainst(this)) {
            for (Session other = row.lock();
                    other != null;
                    other = other.waitsFor == null ? null : other.waitsFor.lock()) {
                if (other == this) {
                    failed = true;
                    throw new SqlFailure("40P01: deadlock detected");
                }
            }
            waitsFor = row;
            try {
                baton.await(() -> !row.isLockedAgainst(this) || closed || baton.now() >= until, Long.MAX_VALUE);
            } finally {
                waitsFor = null;
            }
            usable();
            if (row.isLockedAgainst(this) && baton.now() >= until) {
                failed = isolation != null;
                throw new SqlFailure("55P03: canceling statement due to lock timeout");
            }
        }
    }

    private void usable() {
        if (closed) {
            throw new SqlFailure("57P01: terminating connection");
        }
        if (failed) {
            throw new SqlFailure("25P02: current transaction is aborted");
        }
    }

    /** As every statement that fails does to its transaction. */
    void statementFailed() {
        failed = isolation != null;
    }

    Savepoint savepoint() {
        usable();
        return new Savepoint(new LinkedHashMap<>(writes), new ArrayList<>(effects), new LinkedHashSet<>(locks));
    }

    void rollbackTo(Savepoint savepoint) {
        failed = false;
        writes = new LinkedHashMap<>(savepoint.writes);
        effects = new ArrayList<>(savepoint.effects);
        locks.stream().filter(row -> !savepoint.locks.contains(row)).forEach(row -> row.lock(null));
        locks = new LinkedHashSet<>(savepoint.locks);
    }

    private void commitIfAlone() {
        if (isolation == null) {
            commit();
        }
    }

    /** A transaction in which a statement has failed is rolled back by its commit, of which the driver tells. */
    void commit() {
        boolean aborted = closed || failed;
        if (!aborted) {
            database.commit(writes, effects);
        }
        end();
        if (aborted) {
            throw new SqlFailure("25P02: the commit has rolled back");
        }
    }

    void rollback() {
        end();
    }

    private void end() {
        writes = new LinkedHashMap<>();
        effects = new ArrayList<>();
        locks.forEach(row -> row.lock(null));
        locks.clear();
        isolation = null;
        failed = false;
    }

    void close() {
        end();
        closed = true;
        database.disconnected(this);
    }
}
