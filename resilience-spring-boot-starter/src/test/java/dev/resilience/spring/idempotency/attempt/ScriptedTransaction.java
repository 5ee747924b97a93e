package dev.resilience.spring.idempotency.attempt;

import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A transaction that answers as a test wants it to, and ends when a test says so. */
final class ScriptedTransaction implements StoreTransaction {

    final AtomicInteger locks = new AtomicInteger();
    final List<StoredResult> written = new ArrayList<>();
    boolean isMine = true;
    boolean isSnapshot;
    ClaimStatus status = ClaimStatus.IN_PROGRESS;

    @Nullable
    RuntimeException failure;

    @Nullable
    RuntimeException rollsBack;

    private final List<Runnable> beforeCommit = new ArrayList<>();
    private final List<Consumer<End>> listeners = new ArrayList<>();

    /** What is done before the commit, which fails if that does. */
    void commit() {
        List.copyOf(beforeCommit).forEach(Runnable::run);
        end(End.COMMITTED);
    }

    void end(End how) {
        List.copyOf(listeners).forEach(listener -> listener.accept(how));
    }

    private void failIfItIsToFail() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        failIfItIsToFail();
        written.add(result);
        return isMine;
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        failIfItIsToFail();
        locks.incrementAndGet();
        return isMine;
    }

    @Override
    public boolean release(LeaseToken token) {
        return isMine;
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return isMine ? status : ClaimStatus.LOST;
    }

    @Override
    public void beforeCommit(Runnable action, Consumer<End> end) {
        beforeCommit.add(action);
        listeners.add(end);
    }

    @Override
    public boolean isSnapshot() {
        return isSnapshot;
    }

    @Override
    public void rollbackOnly(RuntimeException why) {
        rollsBack = why;
    }
}
