package dev.resilience.idempotency;

import dev.resilience.idempotency.Transition.Work;
import org.jspecify.annotations.Nullable;

/** The record belongs to another call: there is nothing left to write, nor to release, and nothing may be committed. */
record LostState() implements ExecutionState {

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
