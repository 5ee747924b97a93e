package dev.resilience.idempotency;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoredResult;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A store that can be down for some of what it does. */
final class UnreliableStore extends ForwardingStore {

    /** What a store does. */
    enum Act {
        CLAIM,
        RENEW,
        COMPLETE,
        RELEASE
    }

    private final AtomicInteger renewals = new AtomicInteger();
    private volatile Set<Act> down = Set.of();
    private volatile Consumer<Act> observer = act -> {};

    UnreliableStore(IdempotencyStore store) {
        super(store);
    }

    /** From now on it is down for these, and for these alone. */
    void goDownFor(Act... acts) {
        down = acts.length == 0 ? Set.of() : EnumSet.of(acts[0], acts);
    }

    void goDown() {
        goDownFor(Act.values());
    }

    void comeBack() {
        goDownFor();
    }

    /** How often a renewal was asked for, in vain or not. */
    int renewals() {
        return renewals.get();
    }

    /** From now on this is told of whatever is asked of the store, on the thread that asks. */
    void observe(Consumer<Act> newObserver) {
        observer = newObserver;
    }

    private void check(Act act) {
        observer.accept(act);
        if (down.contains(act)) {
            throw new IllegalStateException("The store is down");
        }
    }

    @Override
    public Claim claim(ClaimRequest request) {
        check(Act.CLAIM);
        return super.claim(request);
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        renewals.incrementAndGet();
        check(Act.RENEW);
        return super.renew(token, lease);
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        check(Act.COMPLETE);
        return super.complete(token, result, ttl);
    }

    @Override
    public boolean release(LeaseToken token) {
        check(Act.RELEASE);
        return super.release(token);
    }
}
