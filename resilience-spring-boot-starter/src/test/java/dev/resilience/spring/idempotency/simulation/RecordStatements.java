package dev.resilience.spring.idempotency.simulation;

import static dev.resilience.spring.idempotency.simulation.PlantedDefect.COMPLETE_IGNORES_THE_FENCE;
import static dev.resilience.spring.idempotency.simulation.PlantedDefect.FENCE_OF_THE_WALL_CLOCK;
import static dev.resilience.spring.idempotency.simulation.PlantedDefect.RELEASE_IGNORES_THE_OWNER;
import static dev.resilience.spring.idempotency.simulation.PlantedDefect.TAKE_OVER_BEFORE_THE_LEASE_ENDS;
import static dev.resilience.spring.idempotency.simulation.PlantedDefect.TAKE_OVER_IGNORES_LOCKS;

import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.simulation.StoredRecord.State;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The statements about records, each with the meaning that it has in SQL. */
final class RecordStatements {

    private static final int MOST_TRIES = 20;

    private final SimulatedDatabase database;
    private final Machine machine;
    private final PlantedDefect defect;

    RecordStatements(SimulatedDatabase database, Machine machine, PlantedDefect defect) {
        this.database = database;
        this.machine = machine;
        this.defect = defect;
    }

    /** What there is under a key, and the time at which it was there. */
    record Found(StoredRecord record, boolean inserted, long now) {

        long nextFence() {
            return Math.max(record.fence() + 1, now);
        }

        boolean isOver() {
            return record.validUntil() <= now;
        }
    }

    /** Inserts a record if there is none, and tells what there is. */
    @Nullable
    Found claim(SimulatedConnection connection, ClaimRequest request) {
        return connection.execute("claim", () -> {
            StoredRecord found = connection.session().look(request.key());
            if (found != null) {
                return new Found(found, false, clock());
            }
            if (defect == PlantedDefect.CLAIM_IS_NOT_ATOMIC) {
                database.baton().handOver();
            }
            StoredRecord mine = running(request, fence(clock()));
            boolean inserted = defect == PlantedDefect.CLAIM_IS_NOT_ATOMIC
                    ? connection.session().upsert(request.key(), mine)
                    : connection.session().insert(request.key(), mine);
            return inserted ? new Found(mine, true, clock()) : null;
        });
    }

    private StoredRecord running(ClaimRequest request, long fence) {
        return new StoredRecord(
                State.RUNNING, request.fingerprint(), request.owner(), fence, clock() + micros(request.lease()), null);
    }

    private long fence(long proper) {
        return defect == FENCE_OF_THE_WALL_CLOCK
                ? ChronoUnit.MICROS.between(Instant.EPOCH, machine.wallClock())
                : proper;
    }

    /** Whether the record is still as it was found, and neither locked nor renewed. */
    private Predicate<StoredRecord> asFound(Found found) {
        long early = defect == TAKE_OVER_BEFORE_THE_LEASE_ENDS ? 1_500_000 : 0;
        return now -> now.fence() == found.record().fence()
                && now.state() == found.record().state()
                && now.validUntil() - early <= clock();
    }

    boolean isOver(Found found) {
        return asFound(found).test(found.record());
    }

    boolean lockIfOver(SimulatedConnection connection, ClaimRequest request, Found found) {
        return connection.execute("look whether abandoned", () -> {
            if (defect == TAKE_OVER_IGNORES_LOCKS) {
                database.row(request.key()).lock(null);
            }
            return connection.session().lockUnlessLocked(request.key(), asFound(found));
        });
    }

    /** Returns the new fence, or none. */
    @Nullable
    Long replace(SimulatedConnection connection, ClaimRequest request, Found found) {
        long fence = fence(found.nextFence());
        boolean replaced = connection.execute(
                "take over",
                () -> connection
                        .session()
                        .update(request.key(), fence, asFound(found), old -> running(request, fence)));
        return replaced ? fence : null;
    }

    boolean renew(SimulatedConnection connection, LeaseToken mine, Duration lease) {
        return change("renew", connection, mine, isMine(mine), old -> old.until(clock() + micros(lease)));
    }

    boolean complete(SimulatedConnection connection, LeaseToken mine, StoredResult result, Duration ttl) {
        Predicate<StoredRecord> where = defect == COMPLETE_IGNORES_THE_FENCE ? any -> true : isMine(mine);
        return change("complete", connection, mine, where, old -> old.completed(result, clock() + micros(ttl)))
                || isSentAgain(connection, mine);
    }

    private boolean isSentAgain(SimulatedConnection connection, LeaseToken mine) {
        return !connection.session().isInTransaction() && status(connection, mine) == ClaimStatus.COMPLETED;
    }

    boolean release(SimulatedConnection connection, LeaseToken mine) {
        Predicate<StoredRecord> where = defect == RELEASE_IGNORES_THE_OWNER ? StoredRecord::isRunning : isMine(mine);
        return change("release", connection, mine, where, old -> null);
    }

    /** Waits in a transaction for another one that has the record locked, but not on a connection that commits by itself. */
    private boolean change(
            String what,
            SimulatedConnection connection,
            LeaseToken mine,
            Predicate<StoredRecord> where,
            UnaryOperator<@Nullable StoredRecord> change) {
        Session session = connection.session();
        if (session.isInTransaction()) {
            return connection.execute(what, () -> session.update(mine.key(), mine.fence(), where, change));
        }
        for (int i = 0; i < MOST_TRIES; i++) {
            if (connection.execute(what, () -> session.updateUnlessLocked(mine.key(), mine.fence(), where, change))) {
                return true;
            }
            ClaimStatus status = status(connection, mine);
            if (status == ClaimStatus.COMPLETED || status == ClaimStatus.LOST) {
                return false;
            }
            if (status == ClaimStatus.LOCKED && i > 0) {
                break;
            }
        }
        throw new RecordLockedException("A transaction has the record locked");
    }

    /** Two statements that do not wait: one that locks, unless another has locked, and one that only looks. */
    ClaimStatus status(SimulatedConnection connection, LeaseToken mine) {
        boolean unlocked = connection.execute(
                "lock for status", () -> connection.session().lockUnlessLocked(mine.key(), isOf(mine)));
        StoredRecord found =
                connection.execute("look for status", () -> connection.session().look(mine.key()));
        if (found == null || !isOf(mine).test(found)) {
            return defect == PlantedDefect.LOST_CLAIM_TOLD_AS_COMPLETED ? ClaimStatus.COMPLETED : ClaimStatus.LOST;
        }
        if (!found.isRunning()) {
            return ClaimStatus.COMPLETED;
        }
        return unlocked ? ClaimStatus.IN_PROGRESS : ClaimStatus.LOCKED;
    }

    private static Predicate<StoredRecord> isOf(LeaseToken claim) {
        return found -> found.fence() == claim.fence() && found.owner().equals(claim.owner());
    }

    private static Predicate<StoredRecord> isMine(LeaseToken mine) {
        return isOf(mine).and(StoredRecord::isRunning);
    }

    private long clock() {
        return database.clock();
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
