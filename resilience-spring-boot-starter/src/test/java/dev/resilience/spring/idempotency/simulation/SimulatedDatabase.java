package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.RecordKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A database server in memory: the table of records, whose rows have versions and locks, a table of effects to which
 * bodies only add, and a clock of its own. It behaves as PostgreSQL does, statement by statement; what goes wrong on the way
 * to it is the business of {@link SimulatedConnection}.
 */
final class SimulatedDatabase {

    private final Baton baton;
    private final Machine server;
    private final Map<RecordKey, VersionedRow> rows = new LinkedHashMap<>();
    private final List<SimulatedBody> effects = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();
    private final RecordWatch watch;
    private Duration shift;
    private long commits;

    SimulatedDatabase(Baton baton, RecordWatch watch) {
        this.baton = baton;
        this.watch = watch;
        this.server = new Machine(baton, "database");
        this.shift = Duration.ofSeconds(baton.choose(100_000));
    }

    Baton baton() {
        return baton;
    }

    Machine server() {
        return server;
    }

    /** In microseconds. */
    long clock() {
        return baton.now() / 1_000 + shift.toNanos() / 1_000;
    }

    void jumpClock(Duration by) {
        shift = shift.plus(by);
    }

    Session connect() {
        Session session = new Session(this);
        sessions.add(session);
        return session;
    }

    void disconnected(Session session) {
        sessions.remove(session);
    }

    /** Notices now which clients are gone. */
    void reapOrphans() {
        List.copyOf(sessions).stream().filter(Session::isOrphan).forEach(Session::close);
    }

    List<Session> sessions() {
        return sessions;
    }

    VersionedRow row(RecordKey key) {
        return rows.computeIfAbsent(key, unknown -> new VersionedRow());
    }

    Map<RecordKey, VersionedRow> rows() {
        return rows;
    }

    /** The bodies whose effects are committed. */
    List<SimulatedBody> effects() {
        return effects;
    }

    long lastCommit() {
        return commits;
    }

    /** Makes all writes of a transaction visible at once. */
    void commit(Map<RecordKey, Session.Write> writes, List<SimulatedBody> added) {
        commits++;
        for (Map.Entry<RecordKey, Session.Write> write : writes.entrySet()) {
            VersionedRow row = row(write.getKey());
            watch.changes(write.getKey(), row.latest(), write.getValue(), clock());
            row.commit(commits, write.getValue().content());
        }
        effects.addAll(added);
    }

    @Nullable
    StoredRecord latest(RecordKey key) {
        return row(key).latest();
    }
}
