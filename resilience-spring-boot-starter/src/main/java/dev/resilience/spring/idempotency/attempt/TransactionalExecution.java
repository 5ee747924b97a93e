package dev.resilience.spring.idempotency.attempt;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.ClaimedRecord;
import dev.resilience.idempotency.IdempotentExecution;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.EndedAttempts.EndedAttempt;
import dev.resilience.spring.idempotency.attempt.RecordState.Task;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An idempotent call whose body may have a transaction in which the store can write. Then the result is written in it, and
 * decided with it: effect and record are committed together or not at all. Otherwise the result is written when the call
 * has ended. {@link RecordState} has the diagram.
 *
 * <p>Where the end of a transaction is unknown, the store is asked when the call is over and the thread has returned the
 * transaction's connection. If it cannot tell then, the key stays taken until its lease ends.
 */
public final class TransactionalExecution implements IdempotentExecution {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);

    private final ClaimedRecord record;
    private final RecordState state;
    private final AttemptRecorder attempts;

    public TransactionalExecution(ClaimedRecord record) {
        this.record = record;
        AttemptErrors errors =
                new AttemptErrors(record.policyName(), record.operation().name(), record.policy());
        this.state = new RecordState(errors);
        this.attempts = new AttemptRecorder(record, state, errors, this::afterTransaction);
        record.keepLease(this::renew);
    }

    @Override
    public IdempotencyContext context(Invocation call) {
        return record.context(call);
    }

    /** For each run of the method's body. */
    public AttemptRecorder attempts() {
        return attempts;
    }

    @Override
    public Invocation begins(Invocation invocation) {
        invocation.attach(attempts);
        return record.operation().isFromCode() ? () -> attempts.run(invocation) : invocation;
    }

    @Override
    public void callReturned(@Nullable Object returned, boolean isStorable) {
        EndedAttempt by = state.answeredBy(returned);
        boolean isKept = isStorable && !(by != null && by.undone().get());
        callEnds(by, () -> isKept ? record.answer(returned) : null);
    }

    @Override
    public void callThrew(Throwable failure) {
        callEnds(state.answeredBy(failure), () -> record.answerOf(failure));
    }

    @Override
    public void notRun() {
        callEnds(null, () -> null);
    }

    /** The answer is written as bytes only if it is needed. */
    private void callEnds(@Nullable EndedAttempt by, Supplier<@Nullable StoredResult> answer) {
        Task task = state.callEnds();
        if (task == null) {
            try {
                task = state.callEnds(by, answer.get());
            } catch (RuntimeException | Error unwritable) {
                if (state.callEnds(by, null) != Task.NOTHING) {
                    record.endLease();
                }
                attempts.refuseUnwritten(unwritable);
                record.notStored(unwritable);
                return;
            }
        }
        finish(task);
    }

    private void afterTransaction(Task task) {
        if (task == Task.CHECK) {
            record.endLease();
            findOutAfter(FIRST_PAUSE);
        } else {
            finish(task);
        }
    }

    /**
     * Asks when the thread that ends the transaction has returned its connection. Until then the record is locked, and what
     * the thread has written after a commit is not decided. Asks again as long as that takes, until the lease has ended.
     */
    private void findOutAfter(Duration pause) {
        record.after(pause, () -> {
            ClaimStatus status = record.status();
            if (status == ClaimStatus.LOCKED && pause.compareTo(record.policy().lease()) < 0) {
                findOutAfter(pause.multipliedBy(2));
            } else {
                finish(state.foundOut(status));
            }
        });
    }

    /** Does what is left to be done. */
    private void finish(Task task) {
        if (task == Task.NOTHING) {
            return;
        }
        record.endLease();
        switch (task) {
            case CHECK -> finish(state.foundOut(record.status()));
            case WRITE -> record.end(state.result());
            case RELEASE -> record.end(null);
            case COUNT_EXECUTED -> record.count(record.executed());
            case COUNT_RELEASED -> record.count(IdempotencyOutcome.RELEASED);
            case COUNT_LOST -> record.count(IdempotencyOutcome.LEASE_LOST);
            default -> record.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
        }
    }

    private void renew(Duration forLease) {
        int asked = state.changes();
        if (state.renewsLease() && !record.renew(forLease) && state.renewalRefused(asked)) {
            record.lost();
        }
    }
}
