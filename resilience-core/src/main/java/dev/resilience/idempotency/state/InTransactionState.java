package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An attempt has a transaction that goes on, and no result is written in it: the attempt has ended without one, or has
 * locked the record before it runs.
 *
 * @param answer what the commit stores; {@code null} if there is nothing to keep
 * @param isLocked whether the transaction has the record locked
 * @param callIsOver whether the call has ended, so that the end of the transaction ends all
 */
public record InTransactionState(
        StoreTransaction transaction, @Nullable StoredResult answer, boolean isLocked, boolean callIsOver)
        implements TransactionBoundState {

    /** The record is locked, or about to be, before the body runs. */
    static InTransactionState locked(StoreTransaction transaction) {
        return new InTransactionState(transaction, null, true, false);
    }

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        if (callIsOver) {
            return stays(Work.REFUSE_OVERTAKEN);
        }
        if (transaction.equals(in) && (isLocked || !isSnapshot)) {
            return stays(Work.RUN);
        }
        return isLocked ? stays(Work.REFUSE_UNDECIDED) : new RunningState().attemptBegins(in, isSnapshot);
    }

    @Override
    public Transition attemptReturns(StoreTransaction in, StoredResult result) {
        if (transaction.equals(in)) {
            return to(new PendingState(in, result, callIsOver), Work.WRITE, result);
        }
        return isLocked || callIsOver
                ? stays(Work.REFUSE_OVERTAKEN)
                : to(new PendingState(in, result, false), Work.LISTEN_AND_WRITE, result);
    }

    @Override
    public Transition attemptEndsWithoutResult(StoreTransaction in, @Nullable StoredResult other) {
        if (transaction.equals(in)) {
            StoredResult kept = callIsOver && answer != null ? answer : other; // the caller was told the first one
            return to(new InTransactionState(in, kept, isLocked, callIsOver), Work.NOTHING);
        }
        return isLocked || callIsOver
                ? stays(Work.LISTEN)
                : to(new InTransactionState(in, other, false, false), Work.LISTEN);
    }

    @Override
    public Transition recordIsGone() {
        return to(new LostState(), Work.NOTHING);
    }

    @Override
    public Transition commitBegins(StoreTransaction of, @Nullable StoredResult other) {
        if (transaction.equals(of)) {
            return ownCommitBegins();
        }
        if (isLocked || callIsOver) {
            return stays(Work.REFUSE_OVERTAKEN);
        }
        return other == null ? stays(Work.CONFIRM) : new RunningState().commitBegins(of, other);
    }

    @Override
    public Transition ownCommitBegins() {
        if (answer != null) {
            return to(new PendingState(transaction, answer, callIsOver), Work.WRITE, answer);
        }
        return callIsOver
                ? to(new ReleasingState(transaction), Work.RELEASE_IN_TRANSACTION)
                : to(locked(transaction), Work.CONFIRM);
    }

    @Override
    public Transition ownTransactionEnds(End how) {
        if (how == End.PARTLY_ROLLED_BACK) {
            // The lock may have gone with the part, and with it what has kept the key
            return to(new InTransactionState(transaction, answer, false, callIsOver), Work.NOTHING);
        }
        if (!callIsOver) {
            return to(new RunningState(), Work.NOTHING);
        }
        if (how == End.UNKNOWN) {
            return to(new InDoubtState(null, true), Work.CHECK);
        }
        return how == End.COMMITTED && answer != null
                ? to(new EndedState(), Work.COMPLETE, answer) // the call ended while the commit was in progress
                : to(new EndedState(), Work.RELEASE);
    }

    @Override
    public Transition callEnds(CallAnswer ending) {
        if (callIsOver) {
            return stays();
        }
        if (ending.isFromOutside(transaction)) {
            return new RunningState()
                    .callEnds(ending); // the transaction is that of an attempt that the call has given up
        }
        StoredResult ofCall = ending.toKeep();
        StoredResult kept =
                ofCall == null ? answer : ofCall; // the call may have given up before the attempt had its answer
        return to(new InTransactionState(transaction, kept, isLocked, true), Work.NOTHING);
    }

    @Override
    public boolean renewsLease() {
        return !isLocked;
    }
}
