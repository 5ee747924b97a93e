package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/** The call goes on, and no result is written. */
public record RunningState() implements ExecutionState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        if (in != null && isSnapshot) {
            return to(InTransactionState.locked(in), Work.LOCK_AND_RUN);
        }
        return stays(Work.RUN);
    }

    @Override
    public Transition attemptReturns(StoreTransaction in, StoredResult result) {
        return to(new PendingState(in, result, false), Work.LISTEN_AND_WRITE, result);
    }

    @Override
    public Transition attemptEndsWithoutResult(StoreTransaction in, @Nullable StoredResult answer) {
        return to(new InTransactionState(in, answer, false, false), Work.LISTEN);
    }

    @Override
    public Transition recordIsGone() {
        return to(new LostState(), Work.NOTHING);
    }

    /** Of an attempt that the call has not waited for: its answer is stored with its effect all the same. */
    @Override
    public Transition commitBegins(StoreTransaction of, @Nullable StoredResult answer) {
        return answer == null ? stays(Work.CONFIRM) : to(new PendingState(of, answer, false), Work.WRITE, answer);
    }

    @Override
    public Transition callEnds(CallAnswer answer) {
        StoredResult kept = answer.toKeep();
        return kept == null ? to(new EndedState(), Work.RELEASE) : to(new EndedState(), Work.COMPLETE, kept);
    }

    @Override
    public boolean renewsLease() {
        return true;
    }
}
