package dev.resilience.spring.deadletter;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Refuses an interrupted thread what it writes, as a pool of connections does. */
record InterruptibleStore(DeadLetterStore store) implements DeadLetterStore {

    private static void check() {
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("interrupted");
        }
    }

    @Override
    public void store(DeadLetter letter, Duration wait) {
        check();
        store.store(letter, wait);
    }

    @Override
    public List<StoredLetter> list(String policy, int limit) {
        return store.list(policy, limit);
    }

    @Override
    public @Nullable StoredLetter find(String policy, String id) {
        return store.find(policy, id);
    }

    @Override
    public Map<String, Long> sizes() {
        return store.sizes();
    }

    @Override
    public @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        return store.claim(policy, id, lease);
    }

    @Override
    public @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        return store.claimDue(policy, lease);
    }

    @Override
    public boolean renew(ReplayClaim claim, Duration lease) {
        return store.renew(claim, lease);
    }

    @Override
    public boolean succeeded(ReplayClaim claim) {
        check();
        return store.succeeded(claim);
    }

    @Override
    public boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait) {
        check();
        return store.failed(claim, failure, wait);
    }

    @Override
    public boolean postpone(ReplayClaim claim, Duration wait) {
        check();
        return store.postpone(claim, wait);
    }

    @Override
    public boolean discard(String policy, String id) {
        return store.discard(policy, id);
    }
}
