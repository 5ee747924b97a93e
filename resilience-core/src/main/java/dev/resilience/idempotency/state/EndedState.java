package dev.resilience.idempotency.state;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import org.jspecify.annotations.Nullable;

/** The call has ended, and so has every transaction that could decide about its record. */
record EndedState() implements ExecutionState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return stays(Work.REFUSE_OVERTAKEN);
    }

    @Override
    public boolean isOver() {
        return true;
    }
}
