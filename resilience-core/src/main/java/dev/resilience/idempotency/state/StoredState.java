package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/** A committed transaction has stored the result, and the call goes on: each further attempt gets that result. */
public record StoredState(StoredResult stored) implements ExecutionState {

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return to(this, Work.ANSWER, stored);
    }

    @Override
    public Transition callEnds(CallAnswer answer) {
        return to(new EndedState(), Work.NOTHING);
    }

    @Override
    public boolean isOver() {
        return true;
    }
}
