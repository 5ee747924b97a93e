package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that knows how often it was asked for a key. */
final class AskedStore extends ForwardingStore {

    private final AtomicInteger claims = new AtomicInteger();

    AskedStore() {
        super(new MemoryIdempotencyStore(TimeSource.system()));
    }

    int claims() {
        return claims.get();
    }

    @Override
    public Claim claim(ClaimRequest request) {
        claims.incrementAndGet();
        return super.claim(request);
    }
}
