package dev.resilience.idempotency;

import java.time.Duration;
import java.util.List;

/** Does what another store does, but for what a test overrides. */
class ForwardingStore implements IdempotencyStore {

    private final IdempotencyStore store;

    ForwardingStore(IdempotencyStore store) {
        this.store = store;
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
}
