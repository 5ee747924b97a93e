package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The store of a machine, which goes about its records as the one of JDBC does: claims, renewals and releases commit at
 * once on connections of their own, a take-over skips what is locked, results join the transaction of the thread.
 */
final class SimulatedStore implements IdempotencyStore {

    private final SimulatedDatabase database;
    private final SimulatedPool pool;
    private final RecordStatements statements;
    private final PlantedDefect defect;
    private final StrayRenewals strayRenewals;
    private final Map<RecordKey, StoredResult> cache = new HashMap<>();
    private final Set<String> lostClaims = new HashSet<>();
    private final Set<String> lateClaims = new HashSet<>();

    SimulatedStore(SimulatedDatabase database, Machine machine, SimulatedPool pool, PlantedDefect defect) {
        this.database = database;
        this.pool = pool;
        this.statements = new RecordStatements(database, machine, defect);
        this.defect = defect;
        this.strayRenewals = new StrayRenewals(database.baton(), machine, this);
    }

    @Override
    public Claim claim(ClaimRequest request) {
        Claim claim = claimNoting(request);
        trace("claims: " + describe(claim));
        if (defect == PlantedDefect.REPLAY_OF_WHAT_WAS_NEVER_COMMITTED && claim instanceof Claim.Completed completed) {
            return new Claim.Completed(cache.getOrDefault(request.key(), completed.result()));
        }
        return claim;
    }

    private Claim claimNoting(ClaimRequest request) {
        try {
            return onOwnConnection(connection -> new SimulatedClaim(statements, connection, request).decide());
        } catch (SqlFailure failure) {
            (failure.mayBeAppliedLate() ? lateClaims : lostClaims).add(request.owner());
            throw failure;
        }
    }

    /** Whether a claim has not been answered, and cannot be applied after its owner has freed the key. */
    boolean hasLostClaimOf(String owner) {
        return lostClaims.contains(owner) && !lateClaims.contains(owner);
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        if (defect == PlantedDefect.RENEWALS_NEVER_STOP) {
            strayRenewals.begin(token, lease);
        }
        return told("renews", token, onOwnConnection(own -> statements.renew(own, token, lease)));
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return told("completes", token, onOwnConnection(own -> statements.complete(own, token, result, ttl)));
    }

    @Override
    public boolean release(LeaseToken token) {
        return told("releases", token, onOwnConnection(own -> statements.release(own, token)));
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return told(token, onOwnConnection(own -> statements.status(own, token)));
    }

    /** Within a transaction, which does not keep the record locked. */
    ClaimStatus statusOf(SimulatedConnection connection, LeaseToken token) {
        Session session = connection.session();
        Session.Savepoint before = connection.execute("SAVEPOINT", session::savepoint);
        ClaimStatus status = told(token, statements.status(connection, token));
        connection.execute("ROLLBACK TO SAVEPOINT", () -> {
            session.rollbackTo(before);
            return true;
        });
        return status;
    }

    private ClaimStatus told(LeaseToken token, ClaimStatus status) {
        trace("asks for " + owner(token) + ": " + status);
        return status;
    }

    /** Within a transaction of the current thread. */
    boolean complete(SimulatedConnection connection, LeaseToken token, StoredResult result, Duration ttl) {
        cache.put(token.key(), result);
        return defect == PlantedDefect.RESULT_OUTSIDE_OF_THE_TRANSACTION
                ? complete(token, result, ttl)
                : told("completes within", token, statements.complete(connection, token, result, ttl));
    }

    boolean renew(SimulatedConnection connection, LeaseToken token, Duration lease) {
        return told("renews within", token, statements.renew(connection, token, lease));
    }

    boolean release(SimulatedConnection connection, LeaseToken token) {
        return told("releases within", token, statements.release(connection, token));
    }

    @Override
    public @Nullable StoreTransaction currentTransaction() {
        ManagedTransaction current = ManagedTransaction.of(database.baton().current());
        return current == null || current.isCompleting() ? null : new JoinedTransaction(this, current, defect);
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        throw new UnsupportedOperationException("No operator is simulated");
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        throw new UnsupportedOperationException("No operator is simulated");
    }

    @Override
    public int delete(RecordSelection selection) {
        throw new UnsupportedOperationException("No operator is simulated");
    }

    private <T> T onOwnConnection(Function<SimulatedConnection, T> work) {
        SimulatedConnection connection = pool.take();
        try {
            return work.apply(connection);
        } finally {
            pool.giveBack(connection);
        }
    }

    private boolean told(String what, LeaseToken token, boolean done) {
        trace(what + " " + owner(token) + (done ? "" : ": not its any more"));
        return done;
    }

    private String owner(LeaseToken token) {
        return database.baton().trace().owner(token.owner());
    }

    private void trace(String what) {
        database.baton().trace().task(what);
    }

    private String describe(Claim claim) {
        if (claim instanceof Claim.Acquired acquired) {
            return owner(acquired.token()) + (acquired.takenOver() ? " takes over" : " has it");
        }
        return claim instanceof Claim.Completed completed
                ? "completed with " + SimulatedOperation.text(completed.result().content())
                : claim.getClass().getSimpleName();
    }
}
