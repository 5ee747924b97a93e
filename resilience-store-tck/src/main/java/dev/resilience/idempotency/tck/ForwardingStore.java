package dev.resilience.idempotency.tck;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
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
    public boolean renew(LeaseToken token, Duration lease) {
        return store.renew(token, lease);
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return store.complete(token, result, ttl);
    }

    @Override
    public boolean release(LeaseToken token) {
        return store.release(token);
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
    public ClaimStatus statusOf(LeaseToken token) {
        return store.statusOf(token);
    }

    @Override
    public @Nullable StoreTransaction currentTransaction() {
        return store.currentTransaction();
    }
}
