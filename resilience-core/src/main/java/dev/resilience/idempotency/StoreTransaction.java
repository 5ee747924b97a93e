package dev.resilience.idempotency;

import java.time.Duration;
import java.util.function.Consumer;

/** The transaction of the current thread, as far as a store can write in it. Used on the thread that it belongs to. */
public interface StoreTransaction {

    /** How a transaction ended. */
    enum End {
        COMMITTED,
        ROLLED_BACK,
        /** Nobody knows yet, or a part of it was rolled back: the record itself has to be asked. */
        UNKNOWN
    }

    /**
     * As {@link IdempotencyStore#complete}, and takes effect if and only if the transaction is committed.
     *
     * @param end told how the transaction ended, when it has; it may be told {@link End#UNKNOWN} before
     */
    boolean complete(Ownership ownership, StoredResult result, Duration ttl, Consumer<End> end);

    /**
     * Sees to it that the transaction is rolled back, whatever its owner wants.
     *
     * @param why what whoever wants to commit it gets to see
     */
    void rollbackOnly(RuntimeException why);
}
