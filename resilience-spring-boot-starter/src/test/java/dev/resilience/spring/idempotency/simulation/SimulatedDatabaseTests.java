package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.idempotency.simulation.StoredRecord.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What PostgreSQL does, statement by statement. */
class SimulatedDatabaseTests {

    private static final RecordKey KEY = RecordKey.of("Service.call(String)", "", "key");
    private static final RecordKey OTHER = RecordKey.of("Service.call(String)", "", "other");

    private final Baton baton = new Baton(1);
    private final SimulatedDatabase database = new SimulatedDatabase(baton, new RecordWatch());
    private final List<String> order = new ArrayList<>();

    SimulatedDatabaseTests() {
        database.connect().insert(KEY, record(1));
        database.connect().insert(OTHER, record(2));
    }

    private static StoredRecord record(long fence) {
        return new StoredRecord(State.RUNNING, "", "owner", fence, 0, null);
    }

    private static boolean any(StoredRecord found) {
        return found.isRunning();
    }

    private Session begin(Isolation isolation) {
        Session session = database.connect();
        session.begin(isolation);
        return session;
    }

    private static boolean writes(Session session, RecordKey key, long fence) {
        return session.update(key, fence, SimulatedDatabaseTests::any, old -> record(fence));
    }

    private long fence() {
        StoredRecord latest = database.latest(KEY);
        return latest == null ? 0 : latest.fence();
    }

    /** Tasks that each run until they have to wait, one after the other. */
    private void run(Runnable... tasks) {
        for (int i = 0; i < tasks.length; i++) {
            Runnable task = tasks[i];
            baton.after(Duration.ofMillis(300L * i), () -> baton.start("task", database.server(), task));
        }
        baton.run();
    }

    @Test
    void nobodySeesAWriteBeforeItsCommit() {
        Session writer = begin(Isolation.READ_COMMITTED);

        assertThat(writes(writer, KEY, 7)).isTrue();
        assertThat(fence()).isEqualTo(1);

        writer.commit();
        assertThat(fence()).isEqualTo(7);
    }

    @Test
    void aRollbackLeavesNothing() {
        Session writer = begin(Isolation.READ_COMMITTED);
        writes(writer, KEY, 7);
        writer.addEffect(new SimulatedBody(1, "key"));

        writer.rollback();

        assertThat(fence()).isEqualTo(1);
        assertThat(database.effects()).isEmpty();
        assertThat(database.row(KEY).lock()).isNull();
    }

    @Test
    void aWriterWaitsForALockAndThenLooksAtItsConditionAgain() {
        Session first = begin(Isolation.READ_COMMITTED);
        run(
                () -> writes(first, KEY, 7),
                () -> order.add(
                        "changed: " + database.connect().update(KEY, 8, found -> found.fence() == 1, old -> record(8))),
                () -> {
                    order.add("commit");
                    first.commit();
                });

        assertThat(order).containsExactly("commit", "changed: false");
        assertThat(fence()).isEqualTo(7);
    }

    @Test
    void aWriterDoesNotWaitForARowThatDoesNotMeetItsCondition() {
        Session first = begin(Isolation.READ_COMMITTED);
        writes(first, KEY, 7);

        assertThat(database.connect().update(KEY, 8, found -> found.fence() == 99, old -> record(8)))
                .isFalse();
    }

    @Test
    void aSnapshotFailsWhereAnotherHasWritten() {
        Session snapshot = begin(Isolation.REPEATABLE_READ);
        snapshot.look(KEY);
        writes(database.connect(), KEY, 7);

        assertThat(snapshot.look(KEY)).isEqualTo(record(1));
        assertThatThrownBy(() -> writes(snapshot, KEY, 8)).hasMessageContaining("40001");
        assertThatThrownBy(() -> snapshot.look(KEY)).hasMessageContaining("25P02");
        assertThatThrownBy(snapshot::commit).hasMessageContaining("25P02");
    }

    @Test
    void aSnapshotBeginsWithTheFirstStatement() {
        Session snapshot = begin(Isolation.SERIALIZABLE);
        writes(database.connect(), KEY, 7);

        assertThat(writes(snapshot, KEY, 8)).isTrue();
    }

    @Test
    void aLockedRowIsSkipped() {
        Session first = begin(Isolation.READ_COMMITTED);
        writes(first, KEY, 7);

        assertThat(database.connect().lockUnlessLocked(KEY, SimulatedDatabaseTests::any))
                .isFalse();
        assertThat(first.lockUnlessLocked(KEY, SimulatedDatabaseTests::any)).isTrue();
    }

    @Test
    void aSnapshotDoesNotLockWhatAnotherHasWritten() {
        Session snapshot = begin(Isolation.REPEATABLE_READ);
        snapshot.look(KEY);
        writes(database.connect(), KEY, 7);

        assertThatThrownBy(() -> snapshot.lockUnlessLocked(KEY, SimulatedDatabaseTests::any))
                .hasMessageContaining("40001");
    }

    @Test
    void aWriterDoesNotWaitForEver() {
        Session first = begin(Isolation.READ_COMMITTED);
        run(
                () -> writes(first, KEY, 7),
                () -> assertThatThrownBy(() -> writes(database.connect(), KEY, 8))
                        .hasMessageContaining("55P03"));

        assertThat(fence()).isEqualTo(1);
    }

    @Test
    void aRollbackToASavepointFreesWhatWasLockedSince() {
        Session session = begin(Isolation.READ_COMMITTED);
        writes(session, KEY, 7);
        Session.Savepoint savepoint = session.savepoint();
        writes(session, OTHER, 8);

        session.rollbackTo(savepoint);

        assertThat(database.row(OTHER).lock()).isNull();
        assertThat(database.row(KEY).lock()).isSameAs(session);
        session.commit();
        assertThat(fence()).isEqualTo(7);
    }

    @Test
    void ofTwoThatWaitForEachOtherOneFails() {
        Session first = begin(Isolation.READ_COMMITTED);
        Session second = begin(Isolation.READ_COMMITTED);
        run(
                () -> writes(first, KEY, 7),
                () -> writes(second, OTHER, 8),
                () -> order.add("first: " + writes(first, OTHER, 9)),
                () -> {
                    assertThatThrownBy(() -> writes(second, KEY, 10)).hasMessageContaining("40P01");
                    second.rollback();
                });

        assertThat(order).containsExactly("first: true");
    }

    @Test
    void aSessionThatIsClosedLetsGoOfItsLocks() {
        Session session = begin(Isolation.READ_COMMITTED);
        writes(session, KEY, 7);

        session.close();

        assertThat(fence()).isEqualTo(1);
        assertThat(writes(database.connect(), KEY, 8)).isTrue();
        assertThatThrownBy(() -> session.look(KEY)).hasMessageContaining("57P01");
    }
}
