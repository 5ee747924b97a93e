package dev.resilience.idempotency.state;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/** A state in which a transaction that has not ended decides about the record, or may. The end of no other one does. */
sealed interface TransactionBoundState extends ExecutionState
        permits InTransactionState, PendingState, PartlyRolledBackState, ReleasingState {

    /** The one that decides. */
    StoreTransaction transaction();

    Transition ownCommitBegins();

    Transition ownTransactionEnds(End how);

    @Override
    default Transition attemptEndsWithoutResult(StoreTransaction in, @Nullable StoredResult answer) {
        return stays(transaction().equals(in) ? Work.NOTHING : Work.LISTEN);
    }

    @Override
    default Transition commitBegins(StoreTransaction of, @Nullable StoredResult answer) {
        return transaction().equals(of) ? ownCommitBegins() : stays(Work.REFUSE_OVERTAKEN);
    }

    @Override
    default Transition transactionEnds(StoreTransaction of, End how) {
        return transaction().equals(of) ? ownTransactionEnds(how) : stays();
    }
}
