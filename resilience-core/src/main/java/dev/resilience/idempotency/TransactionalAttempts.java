package dev.resilience.idempotency;

import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.idempotency.state.EndedAttempts;
import dev.resilience.idempotency.state.EndedAttempts.EndedAttempt;
import dev.resilience.idempotency.state.ExecutionState;
import dev.resilience.idempotency.state.InTransactionState;
import dev.resilience.idempotency.state.Transition;
import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of an idempotent call that have a transaction in which the store can write: the doors of the body and of
 * its transaction to the {@linkplain ExecutionStateMachine state}. What the transaction has to do it does here, on its
 * own thread and connection, and it is rolled back if it must not be committed.
 */
final class TransactionalAttempts implements AttemptRecorder {

    private final Idempotency idempotency;
    private final IdempotentOperation operation;
    private final ClaimedRecord record;
    private final ExecutionStateMachine state;
    private final IdempotencyErrors errors;
    private final Consumer<Transition> afterTransaction;
    private final EndedAttempts ended = new EndedAttempts();

    /** The last one that was refused, and is rolled back when it ends. */
    private volatile @Nullable StoreTransaction doomed;

    /**
     * @param afterTransaction does the work that a transaction leaves behind when it has ended
     */
    TransactionalAttempts(
            Idempotency idempotency,
            IdempotentOperation operation,
            ClaimedRecord record,
            ExecutionStateMachine state,
            Consumer<Transition> afterTransaction) {
        this.idempotency = idempotency;
        this.operation = operation;
        this.record = record;
        this.state = state;
        this.errors = new IdempotencyErrors(idempotency.name(), operation.name(), record.policy());
        this.afterTransaction = afterTransaction;
    }

    @Override
    public Attempt begin() {
        StoreTransaction in = transaction();
        boolean isSnapshot = in != null && in.isSnapshot();
        while (true) {
            Transition how = state.move(now -> now.attemptBegins(in, isSnapshot));
            switch (how.work()) {
                case RUN -> {
                    refuseIfDoomed(in);
                    return new RecordedAttempt(this, null);
                }
                case LOCK_AND_RUN -> {
                    refuseIfDoomed(in);
                    lock(Objects.requireNonNull(in));
                    return new RecordedAttempt(this, null);
                }
                case ANSWER -> {
                    StoredResult earlier = how.neededResult();
                    return new RecordedAttempt(this, () -> record.read(earlier));
                }
                case CHECK -> check(in);
                default -> throw refusal(how.work());
            }
        }
    }

    /** The attempt that the call's answer comes from; {@code null} if none has ended. */
    @Nullable
    EndedAttempt answeredBy(@Nullable Object outcome) {
        return ended.answeredBy(outcome);
    }

    /**
     * The call's answer cannot be written, and is to be kept by a transaction that goes on.
     *
     * @throws ResilienceException if that is the current thread's, which is rolled back
     */
    void refuseUnwritten(ExecutionState after, Throwable unwritable) {
        StoreTransaction in = transaction();
        if (in != null
                && after instanceof InTransactionState waiting
                && waiting.transaction().equals(in)) {
            throw refuse(in, errors.notWritten(unwritable));
        }
    }

    EndedAttempt returned(@Nullable Object returned) {
        StoreTransaction in = transaction();
        EndedAttempt attempt = ended.add(returned, in, null);
        if (in != null) {
            returnedIn(in, returned);
        }
        return attempt;
    }

    private void returnedIn(StoreTransaction in, @Nullable Object returned) {
        if (!operation.isFinal(returned) || !operation.keeps(returned)) {
            endedWithoutResult(in, null);
            return;
        }
        try {
            StoredResult result = record.stored(returned);
            String why = record.whyNotKept(result);
            if (why != null) {
                endedWithoutResult(
                        in, null); // nothing is sent that would lock the record, so that its lease is renewed
                throw errors.notKept(why);
            }
            write(in, state.move(now -> now.attemptReturns(in, result)));
        } catch (ResilienceException refused) {
            throw refuse(in, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(in, errors.notWritten(unavailable));
        }
    }

    /** The body of an attempt has thrown. */
    void threw(Throwable failure) {
        try {
            StoreTransaction in = transaction();
            StoredResult answer = in == null ? null : record.stored(failure);
            EndedAttempt unused = ended.add(failure, in, answer);
            if (in != null) {
                endedWithoutResult(in, answer);
            }
        } catch (RuntimeException unavailable) {
            failure.addSuppressed(unavailable);
        }
    }

    /** The current thread's, if the store can write in it. */
    @Nullable
    StoreTransaction transaction() {
        return record.policy().transactional() == Transactional.AUTO
                ? idempotency.store().currentTransaction()
                : null;
    }

    private void endedWithoutResult(StoreTransaction in, @Nullable StoredResult answer) {
        if (state.move(now -> now.attemptEndsWithoutResult(in, answer)).work() == Work.LISTEN) {
            listen(in);
        }
    }

    private void listen(StoreTransaction to) {
        to.beforeCommit(() -> commitBegins(to), end -> transactionEnds(to, end));
    }

    private void transactionEnds(StoreTransaction of, End how) {
        if (how == End.ROLLED_BACK || how == End.UNKNOWN) {
            ended.undo(of);
        }
        afterTransaction.accept(state.move(now -> now.transactionEnds(of, how)));
    }

    /** The record must not change while the transaction runs, not even by a renewal. */
    private void lock(StoreTransaction in) {
        listen(in);
        state.lease().awaitRenewal();
        try {
            mustBeMine(record.renew(in), in);
        } catch (ResilienceException refused) {
            throw refuse(in, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(in, errors.notLocked(unavailable));
        }
    }

    private void write(StoreTransaction in, Transition how) {
        if (how.work() == Work.LISTEN_AND_WRITE) {
            listen(in);
        } else if (how.work() != Work.WRITE) {
            throw refusal(how.work());
        }
        try {
            String why = record.whyNotKept(how.neededResult());
            if (why != null) {
                throw errors.notKept(why);
            }
            mustBeMine(record.complete(in, how.neededResult()), in);
        } catch (RuntimeException failed) {
            state.move(now -> now.writeFailed(in));
            throw failed;
        }
    }

    /** A transaction with a snapshot may just not see the record, of which the store knows; then its end frees the key. */
    private void mustBeMine(boolean mine, StoreTransaction in) {
        if (!mine && in.isSnapshot() && record.status(null) != ClaimStatus.LOST) {
            throw errors.notSeen();
        }
        if (!mine) {
            state.move(ExecutionState::recordIsGone);
            throw errors.lost();
        }
    }

    private ResilienceException refuse(StoreTransaction in, ResilienceException why) {
        in.rollbackOnly(why);
        doomed = in;
        return why;
    }

    private void refuseIfDoomed(@Nullable StoreTransaction in) {
        if (in != null && in.equals(doomed)) {
            throw errors.doomed();
        }
    }

    private ResilienceException refusal(Work work) {
        return switch (work) {
            case REFUSE_LOST -> errors.lost();
            case REFUSE_UNDECIDED -> errors.undecided();
            default -> errors.overtaken();
        };
    }

    private void commitBegins(StoreTransaction of) {
        try {
            Transition how = state.move(now -> now.commitBegins(of, ended.answerIn(of)));
            switch (how.work()) {
                case NOTHING -> {}
                case CHECK -> {
                    check(of);
                    commitBegins(of);
                }
                case CONFIRM -> mustBeMine(record.renew(of), of);
                case RELEASE_IN_TRANSACTION -> mustBeMine(record.release(of), of);
                default -> write(of, how);
            }
        } catch (ResilienceException refused) {
            throw refused;
        } catch (RuntimeException unavailable) {
            throw errors.notWritten(unavailable);
        }
    }

    /** Asks what has become of the record. */
    private void check(@Nullable StoreTransaction in) {
        ClaimStatus status = record.status(in);
        if (state.move(now -> now.checked(status)).work() == Work.REFUSE_UNDECIDED) {
            throw errors.undecided();
        }
    }
}
