package dev.resilience.spring.idempotency.attempt;

import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.ClaimedRecord;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder.EndedAttempts.EndedAttempt;
import dev.resilience.spring.idempotency.attempt.RecordState.Task;
import dev.resilience.spring.retry.OpenTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Records the attempts of an idempotent call to run its body, each inside the transaction of the body and before that is
 * committed. Attached to the {@linkplain dev.resilience.pipeline.Invocation#attach invocation}. Attempts of one call on
 * several threads are safe.
 *
 * <p>Reports to the {@linkplain RecordState state} what bodies and transactions do. What the state wants a transaction to do
 * is done here, on the transaction's own thread and connection, and a transaction that must not be committed is rolled back.
 */
public final class AttemptRecorder {

    private static final boolean TRANSACTIONS = ClassUtils.isPresent(
            "org.springframework.transaction.TransactionManager", AttemptRecorder.class.getClassLoader());

    private final ClaimedRecord record;
    private final RecordState state;
    private final AttemptErrors errors;
    private final Consumer<Task> finish;

    /** The last one that was refused, and is rolled back when it ends. */
    private volatile @Nullable StoreTransaction doomed;

    /**
     * @param finish does what a transaction leaves to be done when it has ended
     */
    AttemptRecorder(ClaimedRecord record, RecordState state, AttemptErrors errors, Consumer<Task> finish) {
        this.record = record;
        this.state = state;
        this.errors = errors;
        this.finish = finish;
    }

    /** Runs the body, unless an earlier attempt has answered, on its thread and in its transaction, if there is one. */
    public @Nullable Object run(Invocation body) throws Throwable {
        Attempt attempt = begin();
        if (attempt.isAnswered()) {
            return attempt.earlierAnswer();
        }
        Object result;
        try {
            result = body.proceed();
        } catch (Throwable failure) {
            attempt.threw(failure);
            throw failure;
        }
        attempt.returned(result);
        if (TRANSACTIONS && attempt.hearsNothingOfTransaction()) {
            OpenTransactions.onRollback(attempt::undone);
        }
        return result;
    }

    /**
     * Begins an attempt, on the thread of the body and in its transaction.
     *
     * @throws dev.resilience.exception.IdempotencyInProgressException if the end of an earlier attempt's transaction is
     *     not known yet
     * @throws dev.resilience.exception.IdempotencyLeaseLostException if the key belongs to another call by now, or the
     *     call has ended
     * @throws dev.resilience.exception.IdempotencyStoreException if the record cannot be locked in a transaction that has
     *     to, or an earlier attempt has left the transaction so that it must be rolled back
     */
    public Attempt begin() {
        StoreTransaction in = transaction();
        boolean isSnapshot = in != null && in.isSnapshot();
        Task task = ask(in, () -> state.attemptBegins(in, isSnapshot));
        if (task == Task.ANSWER) {
            return new Attempt(state.result());
        }
        if (in != null && in.equals(doomed)) {
            throw errors.doomed();
        }
        if (task == Task.LOCK) {
            lock(Objects.requireNonNull(in));
        }
        return new Attempt(null);
    }

    /** The current thread's, if the store can write in it. */
    private @Nullable StoreTransaction transaction() {
        return record.policy().transactional() == Transactional.AUTO
                ? record.store().currentTransaction()
                : null;
    }

    private void listen(StoreTransaction to) {
        if (state.opens(to)) {
            to.beforeCommit(() -> commitBegins(to), end -> finish.accept(state.transactionEnds(to, end)));
        }
    }

    /** The record must not change while the transaction runs, not even by a renewal. */
    private void lock(StoreTransaction in) {
        listen(in);
        try {
            mustBeMine(renew(in), in);
        } catch (RuntimeException failed) {
            throw refuse(in, errors.refusal("record", "locked", failed));
        }
    }

    private boolean renew(StoreTransaction in) {
        return in.renew(record.token(), record.policy().lease());
    }

    private void returnedIn(StoreTransaction in, @Nullable Object returned) {
        listen(in);
        if (!record.operation().isFinal(returned)) {
            return;
        }
        try {
            StoredResult result = record.answer(returned);
            if (result == null) {
                return;
            }
            requireKept(result); // before the record is locked, so that its lease is renewed
            state.attemptReturns(in, result);
            write(in, result);
        } catch (RuntimeException failed) {
            throw refuse(in, errors.refusal("result", "written", failed));
        }
    }

    private void requireKept(StoredResult result) {
        String why = record.whyNotKept(result);
        if (why != null) {
            throw errors.notKept(why);
        }
    }

    private void write(StoreTransaction in, StoredResult result) {
        try {
            requireKept(result);
            mustBeMine(in.complete(record.token(), result, record.policy().ttl()), in);
        } catch (RuntimeException failed) {
            state.writeFailed(in);
            throw failed;
        }
    }

    /** A transaction with a snapshot may just not see the record, of which the store knows; then its end frees the key. */
    private void mustBeMine(boolean mine, StoreTransaction in) {
        if (!mine && in.isSnapshot() && record.status() != ClaimStatus.LOST) {
            throw errors.notSeen();
        }
        if (!mine) {
            finish.accept(state.recordIsGone(in));
            throw errors.lost();
        }
    }

    private void commitBegins(StoreTransaction of) {
        try {
            switch (ask(of, () -> state.commitBegins(of))) {
                case WRITE -> write(of, state.result());
                case CONFIRM -> mustBeMine(renew(of), of);
                case RELEASE -> mustBeMine(of.release(record.token()), of);
                default -> {}
            }
        } catch (RuntimeException failed) {
            throw errors.refusal("result", "written", failed);
        }
    }

    /** Asks the state what to do, and looks what has become of the record as often as the state needs to know that. */
    private Task ask(@Nullable StoreTransaction in, Supplier<Task> question) {
        Task task = question.get();
        while (task == Task.CHECK) {
            int asked = state.changes();
            ClaimStatus status = in == null ? record.status() : record.status(() -> in.statusOf(record.token()));
            finish.accept(state.checked(asked, status));
            task = question.get();
        }
        return task;
    }

    /**
     * The answer of a call that is over cannot be written.
     *
     * @throws ResilienceException if the current thread's transaction was to store it, which is rolled back
     */
    void refuseUnwritten(Throwable unwritable) {
        StoreTransaction in = transaction();
        if (in != null && state.awaits(in)) {
            throw refuse(in, errors.failed("result", "written", unwritable));
        }
    }

    private ResilienceException refuse(StoreTransaction in, ResilienceException why) {
        in.rollbackOnly(why);
        doomed = in;
        return why;
    }

    /** One attempt. But for {@link #undone()} its methods are called on the thread of the body. */
    public final class Attempt {

        private final @Nullable StoredResult earlier;
        private volatile @Nullable EndedAttempt returned;

        private Attempt(@Nullable StoredResult earlier) {
            this.earlier = earlier;
        }

        /**
         * Whether an earlier attempt has answered, in a transaction that was committed or that the current thread still may
         * commit: then the body must not run again, and nothing else of this attempt is reported.
         */
        public boolean isAnswered() {
            return earlier != null;
        }

        /**
         * Returns what the earlier attempt returned, if there {@linkplain #isAnswered() is one}.
         *
         * @throws Throwable what the earlier attempt threw
         */
        public @Nullable Object earlierAnswer() throws Throwable {
            return record.read(Objects.requireNonNull(earlier));
        }

        /**
         * The body has returned. If it is in a transaction in which the store can write, its result is written.
         *
         * @throws ResilienceException if the transaction must not be committed: the key belongs to another call by now, the
         *     call has ended, or the result cannot be kept
         */
        public void returned(@Nullable Object result) {
            StoreTransaction in = transaction();
            returned = state.attemptEnds(result, in, null);
            if (in != null) {
                returnedIn(in, result);
            }
        }

        /** The body has thrown, which its transaction may survive. */
        public void threw(Throwable failure) {
            try {
                StoreTransaction in = transaction();
                EndedAttempt unused = state.attemptEnds(failure, in, in == null ? null : record.answerOf(failure));
                if (in != null) {
                    listen(in);
                }
            } catch (RuntimeException unavailable) {
                failure.addSuppressed(unavailable);
            }
        }

        /**
         * Whether the end of the body's transaction is to be reported to {@link #undone()}, because the store cannot write in
         * that transaction and hears nothing of it.
         */
        public boolean hearsNothingOfTransaction() {
            return transaction() == null;
        }

        /**
         * The transaction of this attempt was rolled back after its body returned: that result is not kept, even if the call
         * returns it.
         */
        public void undone() {
            EndedAttempt attempt = returned;
            if (attempt != null) {
                attempt.undone.set(true);
            }
        }
    }

    /**
     * The attempts of a call whose bodies have ended. Tells which of them the call's answer comes from: one that the call has
     * given up may end later than the one whose answer the call takes. Not safe for use by many threads.
     */
    static final class EndedAttempts {

        private final List<EndedAttempt> attempts = new ArrayList<>();

        /**
         * What the body of an attempt has ended with.
         *
         * @param transaction in which the store can write; {@code null} if it has none
         * @param undone whether its effect was rolled back since
         */
        record EndedAttempt(
                @Nullable Object outcome,
                @Nullable StoreTransaction transaction,
                @Nullable StoredResult answer,
                AtomicBoolean undone) {}

        EndedAttempt add(
                @Nullable Object outcome, @Nullable StoreTransaction transaction, @Nullable StoredResult answer) {
            EndedAttempt attempt = new EndedAttempt(outcome, transaction, answer, new AtomicBoolean());
            attempts.add(attempt);
            return attempt;
        }

        /** A transaction was rolled back, and with it what was done in it. */
        void undo(StoreTransaction transaction) {
            for (EndedAttempt attempt : attempts) {
                if (transaction.equals(attempt.transaction)) {
                    attempt.undone.set(true);
                }
            }
        }

        /** What the last attempt in a transaction wants its commit to store; {@code null} for nothing. */
        @Nullable
        StoredResult answerIn(StoreTransaction transaction) {
            StoredResult answer = null;
            for (EndedAttempt attempt : attempts) {
                answer = transaction.equals(attempt.transaction) ? attempt.answer : answer;
            }
            return answer;
        }

        /**
         * The attempt that the call's answer comes from: one with this very outcome, and of several such one whose effect is
         * there. The last one that ended if the outcome is none of theirs, because something on the way has replaced it. {@code
         * null} if none has ended.
         */
        @Nullable
        EndedAttempt answeredBy(@Nullable Object outcome) {
            EndedAttempt last = null;
            EndedAttempt undone = null;
            for (EndedAttempt attempt : attempts) {
                last = attempt;
                if (attempt.outcome == outcome) {
                    if (!attempt.undone.get()) {
                        return attempt;
                    }
                    undone = attempt;
                }
            }
            return undone == null ? last : undone;
        }
    }
}
