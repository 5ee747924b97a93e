package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.simulation.SimulatedTransactions.Kind;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The transaction of the current task as a store sees it: what the starter's {@code BoundTransaction} is for JDBC. */
final class JoinedTransaction implements StoreTransaction {

    private final SimulatedStore store;
    private final ManagedTransaction transaction;
    private final PlantedDefect defect;

    JoinedTransaction(SimulatedStore store, ManagedTransaction transaction, PlantedDefect defect) {
        this.store = store;
        this.transaction = transaction;
        this.defect = defect;
    }

    @Override
    public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
        return store.complete(transaction.connection(), token, result, ttl);
    }

    @Override
    public boolean renew(LeaseToken token, Duration lease) {
        return store.renew(transaction.connection(), token, lease);
    }

    @Override
    public boolean release(LeaseToken token) {
        return store.release(transaction.connection(), token);
    }

    @Override
    public ClaimStatus statusOf(LeaseToken token) {
        return store.statusOf(transaction.connection(), token);
    }

    @Override
    public void beforeCommit(Runnable action, Consumer<End> end) {
        boolean isLeftOut = defect == PlantedDefect.BEFORE_COMMIT_IS_LEFT_OUT;
        transaction.add(new Listener(isLeftOut ? () -> {} : action, end, transaction.kind(), defect));
    }

    @Override
    public boolean isSnapshot() {
        return transaction.isolation().isSnapshot();
    }

    @Override
    public void rollbackOnly(RuntimeException why) {
        Runnable refuse = () -> {
            throw why;
        };
        beforeCommit(refuse, end -> {});
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JoinedTransaction that && transaction == that.transaction;
    }

    @Override
    public int hashCode() {
        return 1; // not that of its identity, which differs from run to run
    }

    private static final class Listener implements ManagedTransaction.Listener {

        private final Runnable action;
        private final Consumer<End> end;
        private final Kind kind;
        private final PlantedDefect defect;
        private boolean wasBeforeCommit;

        Listener(Runnable action, Consumer<End> end, Kind kind, PlantedDefect defect) {
            this.action = action;
            this.end = end;
            this.kind = kind;
            this.defect = defect;
        }

        @Override
        public void beforeCommit() {
            wasBeforeCommit = true;
            action.run();
        }

        @Override
        public void savepointRollback() {
            end.accept(End.PARTLY_ROLLED_BACK);
        }

        /** JPA tells of a rollback although its COMMIT may have arrived: then nothing is known. */
        @Override
        public void afterCompletion(ManagedTransaction.Status status) {
            if (defect == PlantedDefect.LOST_COMMIT_TOLD_AS_COMMITTED && wasBeforeCommit) {
                end.accept(End.COMMITTED);
                return;
            }
            end.accept(
                    switch (status) {
                        case COMMITTED -> wasBeforeCommit ? End.COMMITTED : End.UNKNOWN;
                        case ROLLED_BACK -> wasBeforeCommit && kind == Kind.JPA ? End.UNKNOWN : End.ROLLED_BACK;
                        case UNKNOWN -> End.UNKNOWN;
                    });
        }
    }
}
