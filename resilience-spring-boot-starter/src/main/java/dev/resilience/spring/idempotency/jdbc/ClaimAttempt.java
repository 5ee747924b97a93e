package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.spring.idempotency.jdbc.RecordTable.Found;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Claims one key in the table, and looks again as often as others come in between. No claim waits for a record that a transaction has
 * locked: its owner is about to complete it, so it is in progress, however long ago its lease ran out.
 */
final class ClaimAttempt {

    private final RecordTable records;
    private final Connection connection;
    private final ClaimRequest request;
    private @Nullable Found lastSeen;

    ClaimAttempt(RecordTable records, Connection connection, ClaimRequest request) {
        this.records = records;
        this.connection = connection;
        this.request = request;
    }

    Claim claim() throws SQLException {
        Claim claim = RowChange.repeated(() -> {
            Found found = records.claim(connection, request);
            return found == null ? null : decide(found);
        });
        if (claim == null) {
            throw new IllegalStateException("Others claim the record again and again");
        }
        return claim;
    }

    /** Returns {@code null} if the record is to be looked at again. */
    private @Nullable Claim decide(Found found) throws SQLException {
        if (found.state() == 'A') {
            return new Claim.Acquired(new LeaseToken(request.key(), request.owner(), found.fence()), false);
        }
        if (found.state() == 'M') {
            return again(found);
        }
        boolean isOver = found.left() <= 0;
        if (found.state() == 'C' && isOver) { // cleaning may have it locked, which is over in a moment
            return replaced(found, found.isSameClaimAs(lastSeen), false);
        }
        if (!request.hasArgumentsOf(found.fingerprint())) {
            return new Claim.KeyReused();
        }
        if (found.state() == 'C') {
            return new Claim.Completed(found.result());
        }
        if (found.state() == 'E') {
            return new Claim.Executed();
        }
        if (!isOver) {
            return new Claim.InProgress(Dialect.duration(found.left()));
        }
        if (found.isSameClaimAs(lastSeen)) {
            return new Claim.InProgress(Duration.ZERO);
        }
        if (request.takeOver()) {
            return replaced(found, false, true);
        }
        lastSeen = found;
        return records.isAbandoned(connection, request, found) ? new Claim.Abandoned() : null;
    }

    /** The answer to the first claim of this owner was lost. */
    private @Nullable Claim again(Found found) throws SQLException {
        if (found.isSameClaimAs(lastSeen)) {
            return new Claim.InProgress(Duration.ZERO);
        }
        lastSeen = found;
        LeaseToken mine = new LeaseToken(request.key(), request.owner(), found.fence());
        return records.renewal(mine, request.lease()).skipLocked(connection) ? new Claim.Acquired(mine, false) : null;
    }

    private @Nullable Claim replaced(Found found, boolean waits, boolean takenOver) throws SQLException {
        lastSeen = found;
        return records.replace(connection, request, found, waits)
                ? new Claim.Acquired(new LeaseToken(request.key(), request.owner(), found.nextFence()), takenOver)
                : null;
    }
}
