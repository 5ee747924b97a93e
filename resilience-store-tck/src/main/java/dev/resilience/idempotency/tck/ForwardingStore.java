package dev.resilience.idempotency.tck;

import dev.resilience.idempotency.Claim;
import dev.resilience.idempotency.ClaimRequest;
import dev.resilience.idempotency.ClaimStatus;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.RecordSelection;
import dev.resilience.idempotency.RecordSummary;
import dev.resilience.idempotency.StoreTransaction;
import dev.resilience.idempotency.StoredResult;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Does what another store does, except for what a test overrides: a store that is down, slow, or counts its calls. As
 * safe for use by many threads as the other store.
 */
public class ForwardingStore implements IdempotencyStore {

    private final IdempotencyStore store;

    /** Forwards to this store. */
    public ForwardingStore(IdempotencyStore store) {
        this.store = store;
    }

    @Override
    public void prepare() {
        store.prepare();
    }

    @Override
    public Claim claim(ClaimRequest request) {
        return store.claim(request);
    }

    @Override
    public boolean renew(Ownership ownership, Duration lease) {
        return store.renew(ownership, lease);
    }

    @Override
    public boolean complete(Ownership ownership, StoredResult result, Duration ttl) {
        return store.complete(ownership, result, ttl);
    }

    @Override
    public boolean release(Ownership ownership) {
        return store.release(ownership);
    }

    @Override
    public List<RecordSummary> find(RecordSelection selection) {
        return store.find(selection);
    }

    @Override
    public int resolve(RecordSelection selection, boolean executed) {
        return store.resolve(selection, executed);
    }

    @Override
    public int delete(RecordSelection selection) {
        return store.delete(selection);
    }

    @Override
    public ClaimStatus statusOf(Ownership ownership) {
        return store.statusOf(ownership);
    }

    @Override
    public @Nullable StoreTransaction currentTransaction() {
        return store.currentTransaction();
    }
}
