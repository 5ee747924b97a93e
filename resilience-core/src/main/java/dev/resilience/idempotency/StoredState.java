package dev.resilience.idempotency;

import static dev.resilience.idempotency.Transition.to;

import dev.resilience.idempotency.Transition.Work;
import org.jspecify.annotations.Nullable;

/** A committed transaction has stored the result, and the call goes on: each further attempt gets that result. */
record StoredState(StoredResult stored) implements ExecutionState {

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
