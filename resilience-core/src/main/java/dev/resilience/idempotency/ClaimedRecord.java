package dev.resilience.idempotency;

import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.idempotency.store.StoredResult.Kind;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The record that a call has claimed: what is written to it and read from it, and how the call is counted. Has no state
 * but that the call is counted once.
 */
final class ClaimedRecord {

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final LeaseToken token;
    private final boolean takenOver;
    private final AtomicBoolean counted = new AtomicBoolean();

    ClaimedRecord(
            Idempotency idempotency, IdempotencyPolicy policy, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.policy = policy;
        this.operation = operation;
        this.token = claim.token();
        this.takenOver = claim.takenOver();
    }

    /** The policy that the record was claimed under. */
    IdempotencyPolicy policy() {
        return policy;
    }

    IdempotencyContext context() {
        return new IdempotencyContext(token.key()::downstreamKey, token.fence());
    }

    /** What is to be stored of a result. */
    StoredResult stored(@Nullable Object returned) {
        return new StoredResult(Kind.VALUE, operation.write(returned));
    }

    /** What is to be stored of an exception; {@code null} if it is no final answer. */
    @Nullable
    StoredResult stored(Throwable failure) {
        return idempotency.exceptions().isFinalAnswer(failure)
                ? new StoredResult(Kind.EXCEPTION, idempotency.exceptions().write(failure))
                : null;
    }

    /** What a stored result stands for. */
    @Nullable
    Object read(StoredResult stored) throws Throwable {
        if (stored.kind() == Kind.VALUE) {
            return operation.read(stored.content());
        }
        throw idempotency.exceptions().read(stored.content());
    }

    /** Why a result cannot be stored; {@code null} if it can. */
    @Nullable
    String whyNotKept(StoredResult result) {
        int size = result.content().length;
        return size <= policy.maxResultSize()
                ? null
                : "a result of " + operation.name() + " has " + size + " bytes, more than max-result-size ("
                        + policy.maxResultSize() + ")";
    }

    /** Whether the result can be stored; warns if it cannot. */
    boolean isKept(StoredResult result) {
        String why = whyNotKept(result);
        if (why != null) {
            idempotency.log().resultNotKept(why);
        }
        return why == null;
    }

    /** Writes the result in a transaction; {@code false} if another call has the key. */
    boolean complete(StoreTransaction transaction, StoredResult result) {
        return transaction.complete(token, result, policy.ttl());
    }

    /** Renews the lease in a transaction; {@code false} if another call has the key. */
    boolean renew(StoreTransaction transaction) {
        return transaction.renew(token, policy.lease());
    }

    /** Frees the key with the commit of a transaction; {@code false} if another call has it. */
    boolean release(StoreTransaction transaction) {
        return transaction.release(token);
    }

    /** What has become of the record, as a transaction sees it or, without one, everyone; locked while the store fails. */
    ClaimStatus status(@Nullable StoreTransaction in) {
        try {
            return in != null
                    ? in.statusOf(token)
                    : undisturbed(() -> idempotency.store().statusOf(token));
        } catch (RuntimeException unavailable) {
            idempotency.log().checkFailed(operation.name(), unavailable);
            return ClaimStatus.LOCKED;
        }
    }

    /** Renews the lease for some time, on a connection of its own; {@code false} if another call has the key. */
    boolean renew(Duration lease) {
        return idempotency.store().renew(token, lease);
    }

    /** Writes the result on a connection of its own. */
    void complete(StoredResult result) {
        boolean mine = undisturbed(() -> idempotency.store().complete(token, result, policy.ttl()));
        count(mine ? executed() : IdempotencyOutcome.LEASE_LOST);
    }

    /** Frees the key, on a connection of its own. */
    void release() {
        boolean mine = undisturbed(() -> idempotency.store().release(token));
        count(mine ? IdempotencyOutcome.RELEASED : IdempotencyOutcome.LEASE_LOST);
    }

    /** Neither a deadline nor an interrupt of the caller's keeps the store from being asked or told. */
    private static <T> T undisturbed(Supplier<T> action) {
        return Uninterruptibly.call(() -> Deadline.ignoring(action));
    }

    /** How a call that was executed is counted. */
    IdempotencyOutcome executed() {
        return takenOver ? IdempotencyOutcome.TAKEN_OVER : IdempotencyOutcome.EXECUTED;
    }

    /** Once a call. */
    void count(IdempotencyOutcome outcome) {
        if (counted.compareAndSet(false, true)) {
            idempotency.count(outcome);
        }
    }

    /** The store could not be told how the call ended. */
    void notStored(Throwable unavailable) {
        idempotency.log().completionFailed(operation.name(), unavailable);
        count(IdempotencyOutcome.STORE_FAILURE);
    }
}
