package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The result is written, or being written, in a transaction that goes on and may outlast the call. The transaction has
 * the record locked.
 *
 * @param callIsOver whether the call has ended
 */
record PendingState(StoreTransaction transaction, StoredResult written, boolean callIsOver)
        implements TransactionBoundState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return transaction.equals(in) ? to(this, Work.ANSWER, written) : stays(Work.REFUSE_UNDECIDED);
    }

    /** The record may be written all the same: the transaction has it locked until its end. */
    @Override
    public Transition writeFailed(StoreTransaction in) {
        return transaction.equals(in) ? to(new InTransactionState(in, null, true, callIsOver), Work.NOTHING) : stays();
    }

    @Override
    public Transition recordIsGone() {
        return to(new LostState(), Work.NOTHING);
    }

    @Override
    public Transition ownCommitBegins() {
        return stays();
    }

    @Override
    public Transition ownTransactionEnds(End how) {
        return switch (how) {
            case COMMITTED ->
                callIsOver ? to(new EndedState(), Work.COUNT_EXECUTED) : to(new StoredState(written), Work.NOTHING);
            case PARTLY_ROLLED_BACK -> to(new PartlyRolledBackState(transaction, written, callIsOver), Work.NOTHING);
            case UNKNOWN -> InDoubtState.entered(written, callIsOver);
            case ROLLED_BACK -> callIsOver ? to(new EndedState(), Work.RELEASE) : to(new RunningState(), Work.NOTHING);
        };
    }

    @Override
    public Transition callEnds(CallAnswer answer) {
        return to(new PendingState(transaction, written, true), Work.NOTHING);
    }
}
