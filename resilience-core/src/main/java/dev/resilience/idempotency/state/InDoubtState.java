package dev.resilience.idempotency.state;

import static dev.resilience.idempotency.state.Transition.to;

import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in which the record was changed has ended, and its end is not known. Only the record tells: the result
 * is this call's if and only if the record is completed and still has the call's owner and fence. While the call goes on the
 * lease is renewed, because the transaction may have been rolled back. A renewal that is refused is no proof of loss: the
 * record may be completed.
 *
 * @param written the result that was written; {@code null} if the key was freed
 * @param callIsOver whether the call has ended; otherwise another attempt may ask first
 */
record InDoubtState(@Nullable StoredResult written, boolean callIsOver) implements ExecutionState {

    static Transition entered(StoredResult written, boolean callIsOver) {
        return to(new InDoubtState(written, callIsOver), callIsOver ? Work.CHECK : Work.NOTHING);
    }

    @Override
    public Transition attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        return stays(callIsOver ? Work.REFUSE_OVERTAKEN : Work.CHECK);
    }

    @Override
    public Transition checked(ClaimStatus status) {
        if (callIsOver) {
            return stays(Work.AGAIN); // the call's own question decides
        }
        return switch (status) {
            case COMPLETED ->
                written == null ? to(new LostState(), Work.AGAIN) : to(new StoredState(written), Work.AGAIN);
            case IN_PROGRESS ->
                to(new RunningState(), Work.AGAIN); // rolled back: it had the record locked until its end
            case LOCKED -> stays(Work.REFUSE_UNDECIDED);
            case LOST -> to(new LostState(), Work.AGAIN);
        };
    }

    @Override
    public Transition foundOut(ClaimStatus status) {
        if (!callIsOver) {
            return stays();
        }
        return switch (status) {
            case COMPLETED -> to(new EndedState(), Work.COUNT_EXECUTED);
            case IN_PROGRESS -> to(new EndedState(), Work.RELEASE);
            case LOCKED -> stays(Work.CHECK);
            case LOST ->
                written == null ? to(new EndedState(), Work.COUNT_RELEASED) : to(new LostState(), Work.NOTHING);
        };
    }

    @Override
    public Transition recordIsGone() {
        return stays(callIsOver ? Work.NOTHING : Work.CHECK);
    }

    @Override
    public boolean renewsLease() {
        return !callIsOver;
    }

    @Override
    public Transition callEnds(CallAnswer answer) {
        return callIsOver ? stays() : to(new InDoubtState(written, true), Work.CHECK);
    }
}
