package dev.resilience.idempotency;

import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.idempotency.Transition.Work;
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
        this.errors = new IdempotencyErrors(idempotency.name(), operation.name(), idempotency.policy());
        this.afterTransaction = afterTransaction;
    }

    @Override
    public @Nullable EarlierAnswer begin() {
        StoreTransaction in = transaction();
        boolean isSnapshot = in != null && in.isSnapshot();
        while (true) {
            Transition how = state.move(now -> now.attemptBegins(in, isSnapshot));
            switch (how.work()) {
                case RUN -> {
                    return null;
                }
                case LOCK_AND_RUN -> {
                    lock(Objects.requireNonNull(in));
                    return null;
                }
                case ANSWER -> {
                    StoredResult earlier = how.neededResult();
                    return () -> record.read(earlier);
                }
                case CHECK -> check(in);
                default -> throw refusal(how.work());
            }
        }
    }

    @Override
    public void returned(@Nullable Object returned) {
        StoreTransaction in = transaction();
        if (in == null) {
            state.move(ExecutionState::attemptReturnsOutside);
            return;
        }
        if (!operation.isFinal(returned) || !operation.keeps(returned)) {
            endedWithoutResult(in, null);
            return;
        }
        try {
            StoredResult result = record.stored(returned);
            String why = record.whyNotKept(result);
            if (why != null) {
                throw errors.notKept(why);
            }
            write(in, state.move(now -> now.attemptReturns(in, result)));
        } catch (ResilienceException refused) {
            throw refuse(in, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(in, errors.notWritten(unavailable));
        }
    }

    @Override
    public void threw(Throwable failure) {
        try {
            StoreTransaction in = transaction();
            if (in != null) {
                endedWithoutResult(in, record.kept(record.stored(failure)));
            }
        } catch (RuntimeException unavailable) {
            failure.addSuppressed(unavailable);
        }
    }

    @Override
    public boolean hearsNothingOfTransaction() {
        return transaction() == null;
    }

    @Override
    public void undone() {
        state.move(ExecutionState::attemptUndone);
    }

    private @Nullable StoreTransaction transaction() {
        return idempotency.policy().transactional() == Transactional.AUTO
                ? idempotency.store().currentTransaction()
                : null;
    }

    private void endedWithoutResult(StoreTransaction in, @Nullable StoredResult answer) {
        if (state.move(now -> now.attemptEndsWithoutResult(in, answer)).work() == Work.LISTEN) {
            listen(in);
        }
    }

    private void listen(StoreTransaction to) {
        to.beforeCommit(
                () -> commitBegins(to),
                end -> afterTransaction.accept(state.move(now -> now.transactionEnds(to, end))));
    }

    /** The record must not change while the transaction runs, not even by a renewal. */
    private void lock(StoreTransaction in) {
        listen(in);
        state.lease().awaitRenewal();
        try {
            mustBeMine(record.renew(in));
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
            mustBeMine(record.complete(in, how.neededResult()));
        } catch (RuntimeException failed) {
            state.move(now -> now.writeFailed(in));
            throw failed;
        }
    }

    private void mustBeMine(boolean mine) {
        if (!mine) {
            state.move(ExecutionState::recordIsGone);
            throw errors.lost();
        }
    }

    private ResilienceException refuse(StoreTransaction in, ResilienceException why) {
        in.rollbackOnly(why);
        return why;
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
            Transition how = state.move(now -> now.commitBegins(of));
            switch (how.work()) {
                case NOTHING -> {}
                case CHECK -> {
                    check(of);
                    commitBegins(of);
                }
                case CONFIRM -> mustBeMine(record.renew(of));
                case RELEASE_IN_TRANSACTION -> mustBeMine(record.release(of));
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
        Work work = state.move(now -> now.checked(in, status)).work();
        if (work == Work.LISTEN_AND_AGAIN) {
            listen(Objects.requireNonNull(in));
        } else if (work == Work.REFUSE_UNDECIDED) {
            throw errors.undecided();
        }
    }
}
