package dev.resilience.idempotency.state;

import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a call that have ended, each with what its body ended with. Tells which of them a call's answer comes
 * from: an attempt that the call has given up may end later than the one whose answer the call takes. Safe for use by many
 * threads.
 */
public final class EndedAttempts {

    private final List<EndedAttempt> attempts = new CopyOnWriteArrayList<>();

    /** The body of an attempt that has ended, and whether its effect was rolled back since. */
    public static final class EndedAttempt {

        private final @Nullable Object outcome;
        private final @Nullable StoreTransaction transaction;
        private final @Nullable StoredResult answer;
        private volatile boolean undone;

        private EndedAttempt(
                @Nullable Object outcome, @Nullable StoreTransaction transaction, @Nullable StoredResult answer) {
            this.outcome = outcome;
            this.transaction = transaction;
            this.answer = answer;
        }

        public void undo() {
            undone = true;
        }

        boolean isUndone() {
            return undone;
        }

        boolean isIn(StoreTransaction other) {
            return other.equals(transaction);
        }
    }

    /**
     * An attempt has ended.
     *
     * @param outcome what its body returned or threw
     * @param transaction in which the store can write; {@code null} if the attempt has none
     * @param answer what the commit of that transaction is to store; {@code null} if there is nothing to keep
     */
    public EndedAttempt add(
            @Nullable Object outcome, @Nullable StoreTransaction transaction, @Nullable StoredResult answer) {
        EndedAttempt attempt = new EndedAttempt(outcome, transaction, answer);
        attempts.add(attempt);
        return attempt;
    }

    /** A transaction was rolled back, and with it what was done in it. */
    public void undo(StoreTransaction transaction) {
        attempts.stream().filter(attempt -> attempt.isIn(transaction)).forEach(EndedAttempt::undo);
    }

    /** What the last attempt in a transaction wants its commit to store; {@code null} if there is nothing to keep. */
    @Nullable
    public StoredResult answerIn(StoreTransaction transaction) {
        StoredResult answer = null;
        for (EndedAttempt attempt : attempts) {
            answer = attempt.isIn(transaction) ? attempt.answer : answer;
        }
        return answer;
    }

    /**
     * The attempt that the call's answer comes from: one with this very outcome, and of several such one whose effect is
     * there. The last one that ended if the outcome is none of theirs, because something on the way has replaced it. {@code
     * null} if none has ended.
     */
    @Nullable
    public EndedAttempt answeredBy(@Nullable Object outcome) {
        EndedAttempt last = null;
        EndedAttempt undone = null;
        for (EndedAttempt attempt : attempts) {
            last = attempt;
            if (attempt.outcome == outcome) {
                if (!attempt.undone) {
                    return attempt;
                }
                undone = attempt;
            }
        }
        return undone == null ? last : undone;
    }
}
