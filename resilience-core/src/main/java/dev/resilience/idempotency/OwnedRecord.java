package dev.resilience.idempotency;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.StoredResult.Kind;
import dev.resilience.pipeline.IdempotencyContext;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The record of a call that holds its key: its lease, what is written to it, and how the call is counted. */
final class OwnedRecord {

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final Ownership ownership;
    private final boolean takenOver;
    private final LeaseKeeper lease;
    private final AtomicBoolean counted = new AtomicBoolean();

    OwnedRecord(Idempotency idempotency, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.policy = idempotency.policy();
        this.operation = operation;
        this.ownership = claim.ownership();
        this.takenOver = claim.takenOver();
        this.lease = new LeaseKeeper(idempotency, ownership);
    }

    LeaseKeeper lease() {
        return lease;
    }

    /** For the method. */
    IdempotencyContext context() {
        return new IdempotencyContext(ownership.key()::downstreamKey, ownership.fence());
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

    /** The result if it can be stored; {@code null} and a warning if it cannot. */
    @Nullable
    StoredResult kept(@Nullable StoredResult result) {
        String why = result == null ? null : whyNotKept(result);
        if (why != null) {
            idempotency.log().resultNotKept(why);
        }
        return why == null ? result : null;
    }

    /** Writes the result by itself, or frees the key if there is none that can be stored. */
    void complete(@Nullable StoredResult answer) {
        StoredResult result = kept(answer);
        if (result == null) {
            release();
            return;
        }
        lease.end();
        boolean mine = undisturbed(() -> idempotency.store().complete(ownership, result, policy.ttl()));
        count(mine ? executed() : IdempotencyOutcome.LEASE_LOST);
    }

    /** Writes the result in a transaction; {@code false} if another call has the key. */
    boolean complete(StoreTransaction transaction, StoredResult result) {
        return transaction.complete(ownership, result, policy.ttl());
    }

    /** Renews the lease in a transaction; {@code false} if another call has the key. */
    boolean renew(StoreTransaction transaction) {
        return transaction.renew(ownership, policy.lease());
    }

    /** Frees the key with the commit of a transaction; {@code false} if another call has it. */
    boolean release(StoreTransaction transaction) {
        return transaction.release(ownership);
    }

    /** Frees the key. */
    void release() {
        lease.end();
        boolean mine = undisturbed(() -> idempotency.store().release(ownership));
        count(mine ? IdempotencyOutcome.RELEASED : IdempotencyOutcome.LEASE_LOST);
    }

    /** Renews the lease by itself; {@code false} if the record was completed, or another call has the key. */
    boolean renew() {
        return idempotency.store().renew(ownership, policy.lease());
    }

    /** Frees the key, unless the record was completed. */
    boolean releaseIfInProgress() {
        return idempotency.store().release(ownership);
    }

    /** Neither a deadline nor an interrupt of the caller's keeps it from being written how the call ended. */
    private static boolean undisturbed(BooleanSupplier write) {
        return Interrupts.putOff(() -> Deadline.ignoring(write::getAsBoolean));
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

    /** Writes, and says so if it fails: the caller has its answer, and does not get another one because of the store. */
    void guarded(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException | Error unavailable) {
            idempotency.log().completionFailed(operation.name(), unavailable);
            count(IdempotencyOutcome.STORE_FAILURE);
        }
    }
}
