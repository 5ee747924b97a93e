package dev.resilience.idempotency.state;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/** The record belongs to another call: there is nothing left to write, nor to release, and nothing may be committed. */
public record LostState() implements ExecutionState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return stays(Work.REFUSE_LOST);
    }

    @Override
    public Transition attemptReturns(StoreTransaction in, StoredResult result) {
        return stays(Work.REFUSE_LOST);
    }

    @Override
    public Transition commitBegins(StoreTransaction of, @Nullable StoredResult answer) {
        return stays(Work.REFUSE_LOST);
    }

    @Override
    public boolean isOver() {
        return true;
    }
}
