package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.spring.idempotency.simulation.RecordStatements.Found;
import dev.resilience.spring.idempotency.simulation.StoredRecord.State;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One claim, statement by statement, which looks again as often as others come in between. */
final class SimulatedClaim {

    private static final int MOST_TRIES = 20;

    private final RecordStatements statements;
    private final SimulatedConnection connection;
    private final ClaimRequest request;
    private @Nullable Found notToBeHad;

    SimulatedClaim(RecordStatements statements, SimulatedConnection connection, ClaimRequest request) {
        this.statements = statements;
        this.connection = connection;
        this.request = request;
    }

    Claim decide() {
        for (int i = 0; i < MOST_TRIES; i++) {
            Found found = statements.claim(connection, request);
            Claim claim = found == null ? null : decide(found);
            if (claim != null) {
                return claim;
            }
        }
        throw new SqlFailure("Others claim the record again and again");
    }

    private @Nullable Claim decide(Found found) {
        StoredRecord record = found.record();
        if (found.inserted() || record.owner().equals(request.owner())) {
            return new Claim.Acquired(new LeaseToken(request.key(), request.owner(), record.fence()), false);
        }
        if (record.state() == State.COMPLETED && found.isOver()) {
            return acquired(statements.replace(connection, request, found), false);
        }
        if (!request.hasArgumentsOf(record.fingerprint())) {
            return new Claim.KeyReused();
        }
        if (record.state() == State.COMPLETED) {
            return new Claim.Completed(Objects.requireNonNull(record.result()));
        }
        if (record.state() == State.EXECUTED) {
            return new Claim.Executed();
        }
        if (!statements.isOver(found)) {
            return new Claim.InProgress(Duration.ofNanos(1_000 * (record.validUntil() - found.now())));
        }
        return isSameClaimAs(notToBeHad, record) ? new Claim.InProgress(Duration.ZERO) : overdue(found);
    }

    private static boolean isSameClaimAs(@Nullable Found earlier, StoredRecord record) {
        return earlier != null
                && earlier.record().fence() == record.fence()
                && earlier.record().state() == record.state();
    }

    private @Nullable Claim overdue(Found found) {
        notToBeHad = found;
        if (!request.takeOver()) {
            return statements.lockIfOver(connection, request, found) ? new Claim.Abandoned() : null;
        }
        return acquired(takeOver(found), true);
    }

    private @Nullable Long takeOver(Found found) {
        connection.begin(Isolation.READ_COMMITTED);
        try {
            boolean locked = statements.lockIfOver(connection, request, found);
            Long fence = locked ? statements.replace(connection, request, found) : null;
            connection.commit();
            return fence;
        } catch (SqlFailure failure) {
            connection.rollback();
            throw failure;
        }
    }

    private @Nullable Claim acquired(@Nullable Long fence, boolean takenOver) {
        return fence == null
                ? null
                : new Claim.Acquired(new LeaseToken(request.key(), request.owner(), fence), takenOver);
    }
}
