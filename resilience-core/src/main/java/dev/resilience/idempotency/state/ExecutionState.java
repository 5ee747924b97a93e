package dev.resilience.idempotency.state;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * One state of an idempotent call that holds its key. Each event is a method that answers with the next state and with
 * what is to be done on entering it; nothing here touches a store, a clock or a thread. What a state does not override is
 * an event that comes too late for it, or cannot come: then the state stays, no result is written, and the transaction
 * of a body that the call does not count on is rolled back.
 *
 * <p>{@code IdempotentExecution} has the diagram. States are immutable.
 */
public sealed interface ExecutionState
        permits RunningState, TransactionBoundState, InDoubtState, StoredState, LostState, EndedState {

    /**
     * An attempt is about to run the body.
     *
     * @param in its transaction; {@code null} if it has none in which the store can write
     * @param isSnapshot whether that transaction fails if the record is changed while it runs
     */
    Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot);

    /** An attempt has returned a result to keep, and its transaction goes on. */
    default Transition attemptReturns(StoreTransaction in, StoredResult result) {
        return stays(Work.REFUSE_OVERTAKEN);
    }

    /**
     * An attempt has ended without a result to write, and its transaction goes on.
     *
     * @param answer what the call ends with if no other attempt follows; {@code null} if there is nothing to keep
     */
    default Transition attemptEndsWithoutResult(StoreTransaction in, @Nullable StoredResult answer) {
        return stays(Work.LISTEN);
    }

    /** A result could not be written in its transaction, which is rolled back. */
    default Transition writeFailed(StoreTransaction in) {
        return stays();
    }

    /** The record is not in progress as this call's: its store says so. */
    default Transition recordIsGone() {
        return stays();
    }

    /**
     * A transaction in which an attempt has ended is about to be committed.
     *
     * @param answer the exception that the attempt has thrown, as it is stored; {@code null} if it is none to keep
     */
    default Transition commitBegins(StoreTransaction of, @Nullable StoredResult answer) {
        return stays(Work.REFUSE_OVERTAKEN);
    }

    /** A transaction in which an attempt has ended has come to its own end. */
    default Transition transactionEnds(StoreTransaction of, End how) {
        return stays();
    }

    /** An attempt, or a transaction about to be committed, has asked what has become of the record. */
    default Transition checked(ClaimStatus status) {
        return stays(Work.AGAIN);
    }

    /** The call has asked the store what has become of the record, after its own end. */
    default Transition foundOut(ClaimStatus status) {
        return stays();
    }

    /** The call has ended: there are no more attempts, but one that the call gave up may still run. */
    default Transition callEnds(CallAnswer answer) {
        return stays();
    }

    /** Whether the lease is renewed. Not while a transaction has the record locked for certain: it is safe until then. */
    default boolean renewsLease() {
        return false;
    }

    /** Whether no lease is needed any more. */
    default boolean isOver() {
        return false;
    }

    /** The same state, and nothing to do. */
    default Transition stays() {
        return stays(Work.NOTHING);
    }

    /** The same state, and this to do. */
    default Transition stays(Work work) {
        return new Transition(this, work, null);
    }
}
