package dev.resilience.idempotency.store;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * The transaction of the current thread, as far as a store can write in it. Used on the thread that it belongs to. Two of
 * them are equal if they are of the same transaction.
 */
public interface StoreTransaction {

    /** How a transaction ended. */
    enum End {
        COMMITTED,
        /** Committed, but the attempt took part only after the commit had begun: its writes may have come too late. */
        COMMITTED_BEFORE,
        ROLLED_BACK,
        /** A part of it, with the record in it or not; the transaction goes on, and its end is still to be told. */
        PARTLY_ROLLED_BACK,
        /** The transaction has ended, and how is not known. */
        UNKNOWN
    }

    /**
     * As {@link IdempotencyStore#complete}, and takes effect if and only if the transaction is committed. Of a record that is
     * completed the answer is false, even if the owner and the fence are the same: another attempt of the call has committed
     * its effect, and the effect of this transaction would be a second one.
     */
    boolean complete(LeaseToken token, StoredResult result, Duration ttl);

    /** As {@link IdempotencyStore#renew}; the record is locked until the transaction ends. */
    boolean renew(LeaseToken token, Duration lease);

    /** As {@link IdempotencyStore#release}, and takes effect if and only if the transaction is committed. */
    boolean release(LeaseToken token);

    /**
     * As {@link IdempotencyStore#statusOf}, and with what this transaction has written. Does not keep the record locked, where
     * the database allows that: the transaction may go on for longer than the lease may be renewed.
     */
    ClaimStatus statusOf(LeaseToken token);

    /**
     * Has something done right before the transaction is committed, if it is to be.
     *
     * @param action rolls the transaction back if it throws anything
     * @param end told how the transaction ended, when it has
     */
    void beforeCommit(Runnable action, Consumer<End> end);

    /** Whether it does not see what others commit while it runs, and fails where it writes what they have changed. */
    boolean isSnapshot();

    /**
     * Sees to it that the transaction is rolled back, even if its owner commits it.
     *
     * @param why what its owner gets if it commits it
     */
    void rollbackOnly(RuntimeException why);
}
