package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import org.jspecify.annotations.Nullable;

/** The call has ended, and the transaction that is about to be committed frees the key. */
record ReleasingState(StoreTransaction transaction) implements TransactionBoundState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return stays(Work.REFUSE_OVERTAKEN);
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
            case COMMITTED -> to(new EndedState(), Work.COUNT_RELEASED);
            case ROLLED_BACK -> to(new EndedState(), Work.RELEASE);
            case PARTLY_ROLLED_BACK, UNKNOWN -> to(new InDoubtState(null, true), Work.CHECK);
        };
    }
}
