package dev.resilience.idempotency;

import org.jspecify.annotations.Nullable;

/** A body that has ended in a transaction without having a result written there. */
final class UnwrittenBody {

    /** What was written right before the commit. */
    enum AtCommit {
        NOTHING,
        RESULT,
        RELEASE
    }

    private final StoreTransaction transaction;
    private volatile @Nullable StoredResult answer;
    private volatile AtCommit atCommit = AtCommit.NOTHING;

    UnwrittenBody(StoreTransaction transaction) {
        this.transaction = transaction;
    }

    StoreTransaction transaction() {
        return transaction;
    }

    boolean isIn(StoreTransaction other) {
        return transaction.equals(other);
    }

    /** What is to be written if the transaction is committed; {@code null} if there is nothing to keep. */
    @Nullable
    StoredResult answer() {
        return answer;
    }

    void answerWith(@Nullable StoredResult stored) {
        answer = stored;
    }

    AtCommit atCommit() {
        return atCommit;
    }

    void atCommit(AtCommit done) {
        atCommit = done;
    }
}
