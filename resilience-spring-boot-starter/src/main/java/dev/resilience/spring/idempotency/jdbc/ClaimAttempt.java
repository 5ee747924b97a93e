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
 * One claim, which looks again as often as others come in between. No claim waits for a record that a transaction has
 * locked: its owner is about to complete it, so it is in progress, however long ago its lease ran out.
 */
final class ClaimAttempt {

    private final RecordTable records;
    private final Connection connection;
    private final ClaimRequest request;
    private @Nullable Found notToBeHad;

    ClaimAttempt(RecordTable records, Connection connection, ClaimRequest request) {
        this.records = records;
        this.connection = connection;
        this.request = request;
    }

    Claim claim() throws SQLException {
        for (int i = 0; i < Races.MOST_TRIES; i++) {
            try {
                Found found = records.claim(connection, request);
                Claim claim = found == null ? null : decide(found);
                if (claim != null) {
                    return claim;
                }
            } catch (SQLException failure) {
                if (!Races.isRace(failure)) {
                    throw failure;
                }
            }
            Races.pause(i + 1);
        }
        throw new IllegalStateException("Others claim the record again and again");
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
        if (found.state() == 'C' && isOver) {
            return expired(found);
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
            return new Claim.InProgress(Micros.toDuration(found.left()));
        }
        return found.isSameClaimAs(notToBeHad) ? new Claim.InProgress(Duration.ZERO) : overdue(found);
    }

    /** The answer to the first claim of this owner was lost. */
    private @Nullable Claim again(Found found) throws SQLException {
        if (found.isSameClaimAs(notToBeHad)) {
            return new Claim.InProgress(Duration.ZERO);
        }
        notToBeHad = found;
        LeaseToken mine = new LeaseToken(request.key(), request.owner(), found.fence());
        OwnerChange renewal = records.renewal(mine, request.lease());
        return renewal.change().unlessLocked(connection, renewal.values()) ? new Claim.Acquired(mine, false) : null;
    }

    /** Cleaning may have it locked, which is over in a moment. */
    private @Nullable Claim expired(Found found) throws SQLException {
        if (found.isSameClaimAs(notToBeHad)) {
            return acquired(found, records.replaceWaiting(connection, request, found), false);
        }
        notToBeHad = found;
        return acquired(found, records.replace(connection, request, found), false);
    }

    private @Nullable Claim overdue(Found found) throws SQLException {
        notToBeHad = found;
        if (!request.takeOver()) {
            return records.isAbandoned(connection, request, found) ? new Claim.Abandoned() : null;
        }
        return acquired(found, records.replace(connection, request, found), true);
    }

    private @Nullable Claim acquired(Found found, boolean changed, boolean takenOver) {
        return changed
                ? new Claim.Acquired(new LeaseToken(request.key(), request.owner(), found.nextFence()), takenOver)
                : null;
    }
}
