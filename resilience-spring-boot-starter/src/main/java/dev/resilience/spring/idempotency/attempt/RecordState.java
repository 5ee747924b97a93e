package dev.resilience.spring.idempotency.attempt;

import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.EndedAttempts;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.EndedAttempts.EndedAttempt;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where an idempotent call that holds its key has got to, and which transaction decides about its record.
 *
 * <pre>{@code
 *              attempt returns                commit
 *   RUNNING ────────────────────▶ WRITTEN ──────────────▶ STORED
 *    ▲  │ ▲       rollback         │ ▲ │ savepoint
 *    │  │ └────────────────────────┘ │ └─────────▶ PARTLY_ROLLED_BACK
 *    │  │ locked before the body     │ answer at commit   │
 *    │  └────────▶ LOCKED ───────────┘                    │
 *    │ rollback      │                                    │
 *    └───────────────┘     commit whose end is unknown    │
 *    ENDED ◀─────────────────────────────────── UNKNOWN ◀─┘ ... and from WRITTEN
 *      ▲           call is over: the store is asked once
 *      └─── RELEASING ◀── call is over without an answer, and its transaction is about to be committed
 * }</pre>
 *
 * <p>The call may end in every phase. Where a transaction that goes on has the effect of its answer, that transaction
 * decides at its commit: it stores the answer or frees the key. The store may say at any time that the record is another
 * call's: {@code LOST}.
 *
 * <p>Four kinds of threads bring events: the caller's, those of attempts, those that end transactions, and the timer's. Each
 * event is one method under the lock of this object, which tells its thread what to do next. Nothing in here does I/O or
 * runs code of an application, so the lock is never held for long. An answer of the store counts only if nothing has
 * changed since it was asked ({@link #changes}).
 */
final class RecordState {

    private enum Phase {
        /** No transaction has the record locked. */
        RUNNING,
        /** The transaction has the record locked since before its body began, or a write in it has failed. */
        LOCKED,
        /** The result is written, or being written, in the transaction, which has the record locked. */
        WRITTEN,
        /** The same, and the transaction was rolled back to a savepoint since, before the result or after it. */
        PARTLY_ROLLED_BACK,
        /** The call is over, and the transaction, which is about to be committed, frees the key. */
        RELEASING,
        /** The transaction has ended, and its end is not known: the record tells. */
        UNKNOWN,
        /** The result is stored; each further attempt gets it. */
        STORED,
        /** The record is another call's: nothing may be committed. */
        LOST,
        /** The call is over, and so is every transaction that could decide. */
        ENDED
    }

    /** What the thread that brought an event does next. */
    enum Task {
        NOTHING,
        /** Run the body. */
        RUN,
        /** Lock the record in the transaction, then run the body. */
        LOCK,
        /** Answer with the {@linkplain RecordState#result() result}. */
        ANSWER,
        /** Ask the store what has become of the record. */
        CHECK,
        /** Write the result, in the transaction or, after the call, without one. */
        WRITE,
        /** Make sure in the transaction that the record is still the call's. */
        CONFIRM,
        /** Free the key, in the transaction or, after the call, without one. */
        RELEASE,
        COUNT_EXECUTED,
        COUNT_RELEASED,
        COUNT_LOST,
        COUNT_UNKNOWN
    }

    private final AttemptErrors errors;
    private final EndedAttempts attempts = new EndedAttempts();
    private final Set<StoreTransaction> open = new HashSet<>();
    private Phase phase = Phase.RUNNING;
    private boolean callIsOver;
    private int changes;

    /** The one that decides. Set in all phases in which there is one, in {@code RUNNING} if the call is over. */
    private @Nullable StoreTransaction transaction;

    /** What is written or, once the call is over, what is to be written. */
    private @Nullable StoredResult result;

    RecordState(AttemptErrors errors) {
        this.errors = errors;
    }

    private void enter(Phase next, @Nullable StoreTransaction decides, @Nullable StoredResult kept) {
        phase = next;
        transaction = decides;
        result = kept;
        changes++;
    }

    private boolean decides(@Nullable StoreTransaction other) {
        return transaction != null && transaction.equals(other);
    }

    /** Whether this transaction may change the record: it decides, or none does yet. */
    private boolean mayDecide(StoreTransaction other) {
        return transaction == null ? phase == Phase.RUNNING : transaction.equals(other);
    }

    /** How often something has changed, for {@link #checked} and {@link #renewalRefused}. */
    synchronized int changes() {
        return changes;
    }

    /** What is stored, or to be stored. */
    synchronized StoredResult result() {
        return Objects.requireNonNull(result);
    }

    /** Whether the lease is renewed: not while a transaction has the record locked for certain, because it is safe until then. */
    synchronized boolean renewsLease() {
        return phase == Phase.RUNNING || phase == Phase.PARTLY_ROLLED_BACK || (phase == Phase.UNKNOWN && !callIsOver);
    }

    /** The end of this transaction is to be reported. Returns whether that is new. */
    synchronized boolean opens(StoreTransaction in) {
        return open.add(in);
    }

    /**
     * An attempt is about to run the body.
     *
     * @param in its transaction; {@code null} if it has none in which the store can write
     * @param isSnapshot whether that transaction fails if the record is changed while it runs
     */
    synchronized Task attemptBegins(@Nullable StoreTransaction in, boolean isSnapshot) {
        if (phase == Phase.LOST) {
            throw errors.lost();
        }
        if (callIsOver) {
            throw errors.overtaken();
        }
        if (phase == Phase.STORED) {
            return Task.ANSWER;
        }
        if (phase == Phase.UNKNOWN) {
            return Task.CHECK;
        }
        if (phase == Phase.RUNNING) {
            if (in != null && isSnapshot) {
                enter(Phase.LOCKED, in, null);
                return Task.LOCK;
            }
            return Task.RUN;
        }
        if (!decides(in)) {
            throw errors.undecided();
        }
        return switch (phase) {
            case WRITTEN -> Task.ANSWER;
            case PARTLY_ROLLED_BACK -> Task.CHECK;
            default -> Task.RUN;
        };
    }

    /** An attempt has returned a result to keep, and its transaction goes on: it is to be written. */
    synchronized void attemptReturns(StoreTransaction in, StoredResult returned) {
        if (phase == Phase.LOST) {
            throw errors.lost();
        }
        if (!mayDecide(in) || (phase != Phase.RUNNING && phase != Phase.LOCKED)) {
            throw errors.overtaken();
        }
        enter(Phase.WRITTEN, in, returned);
    }

    /**
     * The body of an attempt has ended.
     *
     * @param outcome what it returned or threw
     * @param in its transaction; {@code null} if it has none in which the store can write
     * @param answer what the commit of that transaction stores if no other attempt follows; {@code null} for nothing
     */
    synchronized EndedAttempt attemptEnds(
            @Nullable Object outcome, @Nullable StoreTransaction in, @Nullable StoredResult answer) {
        EndedAttempt attempt = attempts.add(outcome, in, answer);
        if (callIsOver && decides(in) && result == null) {
            result = answer; // the caller gave up before the attempt had its answer
        }
        return attempt;
    }

    /** A result could not be written. It may be written all the same: its transaction has the record locked until its end. */
    synchronized void writeFailed(StoreTransaction in) {
        if (phase == Phase.WRITTEN && decides(in)) {
            enter(Phase.LOCKED, in, null);
        }
    }

    /** The record is not in progress as this call's: its store says so in a transaction. */
    synchronized Task recordIsGone(StoreTransaction in) {
        return mayDecide(in) && phase != Phase.PARTLY_ROLLED_BACK ? lose() : Task.NOTHING;
    }

    /** The store has refused to renew the lease. Returns whether that proves that it is lost: it may be completed. */
    synchronized boolean renewalRefused(int asked) {
        boolean isLost = asked == changes && phase == Phase.RUNNING;
        if (isLost) {
            enter(Phase.LOST, null, null);
        }
        return isLost;
    }

    private Task lose() {
        enter(Phase.LOST, null, null);
        return Task.COUNT_LOST;
    }

    /** What has become of the record, for an attempt or a transaction about to be committed, which then looks again. */
    synchronized Task checked(int asked, ClaimStatus status) {
        if (asked != changes) {
            return Task.NOTHING;
        }
        switch (status) {
            case COMPLETED -> {
                boolean goesOn = phase == Phase.PARTLY_ROLLED_BACK;
                enter(goesOn ? Phase.WRITTEN : Phase.STORED, transaction, result);
                return goesOn ? Task.NOTHING : Task.COUNT_EXECUTED;
            }
            case IN_PROGRESS -> // a final exception needs no effect, so that it outlives the savepoint
                enter(Phase.RUNNING, callIsOver ? transaction : null, callIsOver && isException() ? result : null);
            case LOST -> {
                return lose();
            }
            case LOCKED -> throw errors.undecided();
        }
        return Task.NOTHING;
    }

    /** A transaction in which an attempt has ended is about to be committed. */
    synchronized Task commitBegins(StoreTransaction of) {
        if (phase == Phase.LOST) {
            throw errors.lost();
        }
        if (!mayDecide(of)) {
            throw errors.overtaken();
        }
        if (phase == Phase.PARTLY_ROLLED_BACK) {
            return Task.CHECK;
        }
        if (phase == Phase.WRITTEN || phase == Phase.RELEASING) {
            return Task.NOTHING;
        }
        StoredResult answer = callIsOver ? result : attempts.answerIn(of);
        if (answer != null) {
            enter(Phase.WRITTEN, of, answer);
            return Task.WRITE;
        }
        if (callIsOver) {
            enter(Phase.RELEASING, of, null);
            return Task.RELEASE;
        }
        return Task.CONFIRM;
    }

    /** A transaction in which an attempt has ended, or a part of it, has come to its own end. */
    synchronized Task transactionEnds(StoreTransaction of, End how) {
        if (how == End.PARTLY_ROLLED_BACK) {
            if (decides(of)) {
                partlyRolledBack(of);
            }
            return Task.NOTHING;
        }
        open.remove(of);
        if (how != End.COMMITTED) {
            attempts.undo(of);
        }
        return decides(of) ? decided(how) : Task.NOTHING;
    }

    /** A lock may have gone with the part, and with it what has kept the key. */
    private void partlyRolledBack(StoreTransaction of) {
        switch (phase) {
            case WRITTEN -> enter(Phase.PARTLY_ROLLED_BACK, of, result);
            case LOCKED, RELEASING -> enter(Phase.RUNNING, callIsOver ? of : null, result);
            default -> {}
        }
    }

    private Task decided(End how) {
        Phase before = phase;
        boolean wasWritten = before == Phase.WRITTEN || before == Phase.PARTLY_ROLLED_BACK;
        boolean isUnknown = how == End.UNKNOWN
                || (how == End.COMMITTED_BEFORE && (wasWritten || !isException()))
                || (how == End.COMMITTED && before == Phase.PARTLY_ROLLED_BACK);
        if (isUnknown && (wasWritten || callIsOver)) {
            enter(Phase.UNKNOWN, null, result);
            return callIsOver ? Task.CHECK : Task.NOTHING;
        }
        boolean isStored = how == End.COMMITTED && wasWritten;
        if (!callIsOver) {
            enter(isStored ? Phase.STORED : Phase.RUNNING, null, isStored ? result : null);
            return isStored ? Task.COUNT_EXECUTED : Task.NOTHING;
        }
        enter(Phase.ENDED, null, result);
        if (how == End.COMMITTED && (wasWritten || before == Phase.RELEASING)) {
            return wasWritten ? Task.COUNT_EXECUTED : Task.COUNT_RELEASED;
        }
        // a call that ended while the commit was in progress has its answer written afterwards
        return how != End.ROLLED_BACK && result != null ? Task.WRITE : Task.RELEASE;
    }

    private boolean isException() {
        return result != null && result.kind() == StoredResult.Kind.EXCEPTION;
    }

    /** The attempt that the call's answer comes from; {@code null} if none has ended. */
    synchronized @Nullable EndedAttempt answeredBy(@Nullable Object outcome) {
        return attempts.answeredBy(outcome);
    }

    /**
     * The call has ended: there are no more attempts, but one that the call gave up may still run.
     *
     * @return {@code null} if the record is not decided yet, so that the {@linkplain #callEnds(EndedAttempt, StoredResult)
     *     answer} is needed
     */
    synchronized @Nullable Task callEnds() {
        boolean isUndecided = phase == Phase.RUNNING || phase == Phase.LOCKED || phase == Phase.PARTLY_ROLLED_BACK;
        if (!callIsOver && isUndecided) {
            return null;
        }
        boolean isUnknown = !callIsOver && phase == Phase.UNKNOWN;
        callIsOver = true;
        changes++; // an attempt that has asked before does not decide any more
        return isUnknown ? Task.CHECK : Task.NOTHING;
    }

    /**
     * The call has ended with an answer.
     *
     * @param by the attempt that the answer comes from; {@code null} if that is not known
     * @param answer what is to be stored; {@code null} for nothing
     */
    synchronized Task callEnds(@Nullable EndedAttempt by, @Nullable StoredResult answer) {
        Task decided = callEnds();
        if (decided != null) {
            return decided;
        }
        callIsOver = true;
        if (phase == Phase.PARTLY_ROLLED_BACK) { // what was written may still be there: the commit asks
            enter(phase, transaction, answer == null ? result : answer);
            return Task.NOTHING;
        }
        StoreTransaction of = by == null ? transaction : by.transaction();
        if (of != null && open.contains(of)) {
            // the call may have given up before the attempt had its answer
            StoredResult kept = answer == null ? attempts.answerIn(of) : answer;
            enter(decides(of) ? phase : Phase.RUNNING, of, kept);
            return Task.NOTHING;
        }
        enter(Phase.ENDED, null, answer);
        return answer == null ? Task.RELEASE : Task.WRITE;
    }

    /** Whether this transaction is to store the answer of a call that is over. */
    synchronized boolean awaits(StoreTransaction in) {
        return callIsOver && decides(in);
    }

    /** What the store says of the record of a call that is over, after a transaction whose end is unknown. */
    synchronized Task foundOut(ClaimStatus status) {
        boolean wasWritten = result != null;
        enter(Phase.ENDED, null, null);
        return switch (status) {
            case COMPLETED -> Task.COUNT_EXECUTED;
            case IN_PROGRESS -> Task.RELEASE;
            case LOST -> wasWritten ? Task.COUNT_LOST : Task.COUNT_RELEASED;
            case LOCKED -> Task.COUNT_UNKNOWN;
        };
    }
}
