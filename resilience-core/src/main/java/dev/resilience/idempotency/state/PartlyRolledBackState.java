package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The result was written in a transaction that has been rolled back to a savepoint since, before the result or after it:
 * the transaction itself sees which, and is asked before it goes on or is committed. Until then the record may be locked or
 * not, so that the lease is renewed.
 *
 * @param callIsOver whether the call has ended
 */
record PartlyRolledBackState(StoreTransaction transaction, StoredResult written, boolean callIsOver)
        implements TransactionBoundState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return stays(transaction.equals(in) ? Work.CHECK : Work.REFUSE_UNDECIDED);
    }

    @Override
    public Transition ownCommitBegins() {
        return stays(Work.CHECK);
    }

    @Override
    public Transition checked(ClaimStatus status) {
        return switch (status) {
            case COMPLETED -> to(new PendingState(transaction, written, callIsOver), Work.AGAIN);
            case IN_PROGRESS -> to(new InTransactionState(transaction, null, false, callIsOver), Work.AGAIN);
            case LOST -> to(new LostState(), Work.AGAIN);
            case LOCKED -> stays(Work.REFUSE_UNDECIDED);
        };
    }

    @Override
    public Transition ownTransactionEnds(End how) {
        return switch (how) {
            case PARTLY_ROLLED_BACK -> stays();
            case COMMITTED, UNKNOWN -> InDoubtState.entered(written, callIsOver);
            case ROLLED_BACK -> callIsOver ? to(new EndedState(), Work.RELEASE) : to(new RunningState(), Work.NOTHING);
        };
    }

    @Override
    public Transition callEnds(CallAnswer answer) {
        return to(new PartlyRolledBackState(transaction, written, true), Work.NOTHING);
    }

    @Override
    public boolean renewsLease() {
        return true;
    }
}
