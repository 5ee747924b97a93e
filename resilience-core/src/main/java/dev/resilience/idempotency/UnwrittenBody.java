package dev.resilience.idempotency;

import org.jspecify.annotations.Nullable;

/** A body that has ended in a transaction without having a result written there. */
final class UnwrittenBody {

    private final StoreTransaction transaction;
    private volatile @Nullable StoredResult answer;
    private volatile boolean released;

    UnwrittenBody(StoreTransaction transaction) {
        this.transaction = transaction;
    }

    StoreTransaction transaction() {
        return transaction;
    }

    boolean isIn(@Nullable StoreTransaction other) {
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

    /** Frees the key with the commit; {@code false} if another call has it. */
    boolean release(OwnedRecord record) {
        released = record.release(transaction);
        return released;
    }

    boolean isReleased() {
        return released;
    }
}
