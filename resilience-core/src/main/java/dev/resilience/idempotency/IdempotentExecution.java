package dev.resilience.idempotency;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.state.CallAnswer;
import dev.resilience.idempotency.state.EndedAttempts;
import dev.resilience.idempotency.state.Transition;
import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An idempotent call that holds its key, from the claim to the end of all that can decide about the record.
 *
 * <p>The body may have a transaction in which the store can write. Then the result is written in it, and decided with
 * it: effect and record are committed together or not at all. Otherwise the result is written when the call has ended.
 *
 * <pre>{@code
 *              attempt returns              commit
 *   Running ───────────────────▶ Pending ──────────▶ Stored
 *    ▲  │ ▲       rollback        │ ▲ │ savepoint
 *    │  │ └───────────────────────┘ │ └─────────▶ PartlyRolledBack
 *    │  │ attempt throws, or locks  │ answer          │
 *    │  └──────▶ InTransaction ─────┘ at commit       │
 *    │ rollback │        │ call is over               │
 *    └──────────┘        ▼                            │
 *              commit  Releasing                      │
 *    Ended ◀─────────────┘ │       end unknown        │
 *      ▲   found out       └──────▶ InDoubt ◀─────────┘
 *      └─────────────────────────────┘       ... and from Pending
 * }</pre>
 *
 * <p>Whether an answer has its effect is known of the attempt that it comes from ({@link EndedAttempts}), not of the state: a
 * call may have several attempts at once, of which it has given up all but one.
 *
 * <p>From every state the call may end, and the store may say that the record is another call's: {@code Lost}. Four kinds
 * of threads bring events: the caller's, those of attempts, those that end transactions, and the timer's. Each event makes
 * one transition, by a compare-and-set on the state, and then does the {@linkplain Work work} of that transition. So no
 * two threads do the same work, and none waits for another one, but for a renewal under way before a transaction takes its
 * snapshot.
 */
public final class IdempotentExecution {

    private static final Duration SOON = Duration.ofMillis(1);

    /** Between two questions about a record that a transaction has locked. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final IdempotentOperation operation;
    private final TimeSource time;
    private final ClaimedRecord record;
    private final ExecutionStateMachine state;
    private final TransactionalAttempts attempts;

    /** @param policy of the claim: another one may be in force by now */
    IdempotentExecution(
            Idempotency idempotency, IdempotencyPolicy policy, IdempotentOperation operation, Claim.Acquired claim) {
        this.operation = operation;
        this.time = idempotency.time();
        this.record = new ClaimedRecord(idempotency, policy, operation, claim);
        this.state = new ExecutionStateMachine(idempotency, record);
        this.attempts = new TransactionalAttempts(idempotency, operation, record, state, this::afterTransaction);
    }

    IdempotencyContext context() {
        return record.context();
    }

    /** For each run of the method's body. */
    AttemptRecorder attempts() {
        return attempts;
    }

    /**
     * The call returns this.
     *
     * @throws dev.resilience.exception.ResilienceException if it cannot be written in the caller's transaction
     */
    void callReturned(@Nullable Object returned) {
        boolean isStorable = !(returned instanceof UnstoredAnswer);
        callEnds(CallAnswer.returned(
                attempts.answeredBy(returned),
                () -> isStorable && operation.keeps(returned) ? record.stored(returned) : null));
    }

    void callThrew(Throwable failure) {
        callEnds(CallAnswer.threw(attempts.answeredBy(failure), () -> record.stored(failure)));
    }

    /** The caller gave up before the method was run. */
    void notRun() {
        callEnds(CallAnswer.none());
    }

    private void callEnds(CallAnswer answer) {
        Transition how;
        try {
            how = state.move(now -> now.callEnds(answer));
        } catch (RuntimeException | Error unwritable) {
            Transition none = state.move(now -> now.callEnds(CallAnswer.none()));
            attempts.refuseUnwritten(none.next(), unwritable);
            record.notStored(unwritable); // its key stays taken until the lease ends
            return;
        }
        if (how.work() == Work.CHECK) {
            check(SOON);
        } else {
            finish(how);
        }
    }

    /** The work after the call's end, or its transaction's. The caller has its answer and gets no other one. */
    private void finish(Transition how) {
        finish(how, SOON);
    }

    /** Again and again on another thread while a transaction has the record locked: the caller does not wait for that. */
    private void finish(Transition how, Duration again) {
        try {
            switch (how.work()) {
                case COMPLETE -> complete(how.neededResult());
                case RELEASE -> record.release();
                default -> count(how.work());
            }
        } catch (RecordLockedException locked) {
            if (state.lease().isSpent()) {
                record.notStored(locked);
            } else {
                time.scheduleUrgent(again, () -> finish(how, pauseAfter(again)));
            }
        } catch (RuntimeException | Error unavailable) {
            record.notStored(unavailable);
        }
    }

    private void complete(StoredResult result) {
        if (record.isKept(result)) {
            record.complete(result);
        } else {
            record.release();
        }
    }

    private void count(Work work) {
        switch (work) {
            case COUNT_EXECUTED -> record.count(record.executed());
            case COUNT_RELEASED -> record.count(IdempotencyOutcome.RELEASED);
            default -> {}
        }
    }

    /** Asks the store on another thread, because this one still has the transaction's connection. */
    private void checkIn(Duration delay) {
        time.scheduleUrgent(delay, () -> check(pauseAfter(delay)));
    }

    /** Doubled, but short against the lease, which is not renewed while the record is locked. */
    private Duration pauseAfter(Duration pause) {
        return Durations.min(pause.multipliedBy(2), Durations.min(state.lease().interval(), LONGEST_PAUSE));
    }

    /** Asks the store what has become of the record, again and again while a transaction has it locked. */
    private void check(Duration again) {
        ClaimStatus status = record.status(null);
        Transition how = state.move(now -> now.foundOut(status));
        if (how.work() != Work.CHECK) {
            finish(how);
        } else if (state.lease().isSpent()) {
            record.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
        } else {
            checkIn(again);
        }
    }

    private void afterTransaction(Transition end) {
        if (end.work() == Work.CHECK) {
            checkIn(SOON); // on another thread, because this one still has the transaction's connection
        } else {
            finish(end);
        }
    }
}
