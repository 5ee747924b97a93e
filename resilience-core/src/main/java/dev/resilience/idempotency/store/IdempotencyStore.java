package dev.resilience.idempotency.store;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the records of idempotent calls. A bean of this type replaces the library's own stores.
 *
 * <p>A record is absent, in progress (with an owner, a fence and a lease), completed (with a result), or resolved as
 * executed (without one). In progress with a lease that has run out it is abandoned. Every method is atomic for its
 * record; leases are measured by the store's own clock. Implementations are safe for use by many threads, and throw any
 * {@link RuntimeException} when they cannot answer. None waits for a transaction that has a record locked: {@code renew},
 * {@code complete} and {@code release} throw a {@link RecordLockedException} and are asked again later.
 */
public interface IdempotencyStore {

    /**
     * Called when the application starts, if any of its methods is idempotent.
     *
     * @throws RuntimeException if the store cannot work, with the cure in its message
     */
    default void prepare() {}

    /**
     * Takes a key, or tells why it cannot be had.
     *
     * <p>The same owner may claim again, because the answer to its first claim was lost. Where the record is in progress
     * and has the request's owner, it is acquired again, even if its lease has run out and abandoned records are not to
     * be taken over: not as {@linkplain Claim.Acquired#takenOver taken over}, with a lease that begins anew, and with the
     * same fence or a higher one. The token of the last answer counts.
     */
    Claim claim(ClaimRequest request);

    /**
     * Extends the lease of a record in progress.
     *
     * @return false if the record is no longer the owner's
     */
    boolean renew(LeaseToken token, Duration lease);

    /**
     * Stores the result of a record in progress, even if its lease has run out, as long as no other call has taken it over.
     *
     * <p>The same may be asked again, because the first answer was lost. Where the record is completed by the same owner
     * and fence, the answer is true, and the result that is stored stays, with its time to live.
     *
     * @param ttl how long to keep the result from now on
     * @return false if the record is no longer the owner's
     */
    boolean complete(LeaseToken token, StoredResult result, Duration ttl);

    /**
     * Removes a record in progress, so that the next call with its key runs.
     *
     * @return false if the record is no longer the owner's
     */
    boolean release(LeaseToken token);

    /** The records that an operator looks for. */
    List<RecordSummary> find(RecordSelection selection);

    /**
     * Says what became of abandoned records. Others are left alone: an owner that lives will say so itself.
     *
     * @param executed whether the method was executed: then the key is refused from now on; otherwise it is free
     * @return how many records there were
     */
    int resolve(RecordSelection selection, boolean executed);

    /**
     * Removes records, so that the next call with their key runs; those in progress are left alone.
     *
     * @return how many records there were
     */
    int delete(RecordSelection selection);

    /**
     * Tells what has become of a record that was claimed. Asked when a transaction in which this store has written ended
     * with an unknown outcome. Never waits for a transaction that has the record locked.
     *
     * @throws UnsupportedOperationException if this store does not write in transactions
     */
    default ClaimStatus statusOf(LeaseToken token) {
        throw new UnsupportedOperationException(getClass().getName() + " does not tell what has become of a claim");
    }

    /** The current thread's transaction, if there is one in which this store can write. */
    default @Nullable StoreTransaction currentTransaction() {
        return null;
    }
}
