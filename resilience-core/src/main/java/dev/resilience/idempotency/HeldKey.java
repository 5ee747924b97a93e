package dev.resilience.idempotency;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.pipeline.IdempotencyContext;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The key of a call that runs, from its claim to its end, and what is written about that: in the transaction of the body
 * where it has one, by itself otherwise.
 *
 * <p>A result that was written in a transaction is decided with that transaction, which may outlast the call. Until then
 * the transaction has the record locked: nothing here touches it from outside, or it would wait for itself.
 */
final class HeldKey implements RunningBody {

    private static final Logger log = LoggerFactory.getLogger(Idempotency.class);

    private enum Written {
        NOT,
        /** In a transaction that goes on. */
        PENDING,
        /** In a transaction that goes on, a part of which was rolled back. */
        PERHAPS,
        FOR_GOOD,
        /** By another call, which has taken the key over: there is nothing left to write, nor to release. */
        BY_ANOTHER
    }

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final Ownership ownership;
    private final boolean takenOver;
    private final LeaseKeeper lease;
    private final AtomicBoolean counted = new AtomicBoolean();
    private Written written = Written.NOT; // this and the next two are guarded by this object
    private @Nullable StoredResult result;
    private boolean callEnded;

    HeldKey(Idempotency idempotency, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.policy = idempotency.policy();
        this.operation = operation;
        this.ownership = claim.ownership();
        this.takenOver = claim.takenOver();
        this.lease = new LeaseKeeper(idempotency, ownership);
    }

    /** For the method. */
    IdempotencyContext context() {
        return new IdempotencyContext(ownership.key()::downstreamKey, ownership.fence());
    }

    @Override
    public synchronized boolean hasReturned() {
        return written == Written.PENDING || written == Written.FOR_GOOD;
    }

    @Override
    public @Nullable Object result() {
        StoredResult stored;
        synchronized (this) {
            stored = result;
        }
        if (stored == null) {
            throw new IllegalStateException("The body has not returned");
        }
        return operation.read(stored.content());
    }

    @Override
    public void returned(@Nullable Object returned) {
        StoreTransaction transaction = policy.transactional() == Transactional.AUTO
                ? idempotency.store().currentTransaction()
                : null;
        if (transaction != null && operation.isFinal(returned) && operation.keeps(returned)) {
            writeIn(transaction, returned);
        }
    }

    private void writeIn(StoreTransaction transaction, @Nullable Object returned) {
        try {
            StoredResult stored = written(returned);
            if (isTooLarge(stored)) {
                throw new IdempotencyStoreException(
                        "Idempotency '" + name() + "': a result of " + operation.name() + " has "
                                + stored.content().length + " bytes, more than max-result-size ("
                                + policy.maxResultSize() + "), so its transaction is rolled back",
                        null);
            }
            lease.pause();
            if (!transaction.complete(ownership, stored, policy.ttl(), this::transactionEnded)) {
                now(Written.BY_ANOTHER, null);
                count(IdempotencyOutcome.LEASE_LOST);
                throw new IdempotencyLeaseLostException(
                        "The call took longer than its lease, and another one has taken "
                                + "its idempotency key over (policy '" + name() + "'): its transaction is rolled back");
            }
            now(Written.PENDING, stored);
        } catch (IdempotencyStoreException | IdempotencyLeaseLostException refused) {
            throw refuse(transaction, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(
                    transaction,
                    new IdempotencyStoreException(
                            "Idempotency '" + name() + "': the result of " + operation.name()
                                    + " could not be written in its transaction, which is rolled back",
                            unavailable));
        }
    }

    private ResilienceException refuse(StoreTransaction transaction, ResilienceException why) {
        transaction.rollbackOnly(why);
        lease.resume();
        return why;
    }

    private void transactionEnded(StoreTransaction.End end) {
        switch (end) {
            case PARTLY_ROLLED_BACK -> now(Written.PERHAPS, null);
            case COMMITTED -> {
                if (hasReturned()) {
                    forGood();
                } else {
                    findOut();
                }
            }
            case ROLLED_BACK -> rolledBack();
            case UNKNOWN -> findOut();
        }
    }

    private void forGood() {
        synchronized (this) {
            written = Written.FOR_GOOD;
        }
        lease.end();
        count(executed());
    }

    private IdempotencyOutcome executed() {
        return takenOver ? IdempotencyOutcome.TAKEN_OVER : IdempotencyOutcome.EXECUTED;
    }

    private void rolledBack() {
        boolean ended;
        synchronized (this) {
            ended = callEnded;
            written = Written.NOT;
            result = null;
        }
        if (ended) {
            guarded(this::release);
        } else {
            lease.resume();
        }
    }

    /** A record that is still in progress can be renewed or released; one that was written cannot. */
    private void findOut() {
        guarded(() -> {
            boolean ended = hasCallEnded();
            boolean inProgress = ended
                    ? idempotency.store().release(ownership)
                    : idempotency.store().renew(ownership, policy.lease());
            if (!inProgress) {
                forGood();
            } else if (ended) {
                lease.end();
                count(IdempotencyOutcome.RELEASED);
            } else {
                now(Written.NOT, null);
                lease.resume();
            }
        });
    }

    private synchronized void now(Written state, @Nullable StoredResult stored) {
        written = state;
        if (stored != null) {
            result = stored;
        }
    }

    /** The call has ended. Says whether that is for this object to write down, and not decided by a transaction. */
    private synchronized boolean ends() {
        callEnded = true;
        return written == Written.NOT;
    }

    private synchronized boolean hasCallEnded() {
        return callEnded;
    }

    /** The call returns this. */
    void callReturned(@Nullable Object returned) {
        if (ends()) {
            guarded(() -> {
                if (operation.keeps(returned)) {
                    store(written(returned));
                } else {
                    release();
                }
            });
        }
    }

    /** The call throws this. */
    void callThrew(Throwable failure) {
        if (ends()) {
            guarded(() -> {
                if (idempotency.exceptions().isFinalAnswer(failure)) {
                    byte[] content = idempotency.exceptions().write(failure);
                    store(new StoredResult(StoredResult.Kind.EXCEPTION, content));
                } else {
                    release();
                }
            });
        }
    }

    /** The caller gave up before the method was run. */
    void notRun() {
        guarded(this::release);
    }

    /**
     * The caller gave up while the method ran, and nobody can tell whether it still runs: cancelling a future stops
     * nothing. So the key is not freed; its lease runs out, and then the policy for dead owners holds.
     */
    void abandoned() {
        lease.end();
        count(IdempotencyOutcome.OUTCOME_UNKNOWN);
    }

    private StoredResult written(@Nullable Object returned) {
        return new StoredResult(StoredResult.Kind.VALUE, operation.write(returned));
    }

    private boolean isTooLarge(StoredResult stored) {
        return stored.content().length > policy.maxResultSize();
    }

    private void store(StoredResult stored) {
        if (isTooLarge(stored)) {
            log.warn(
                    "Idempotency '{}': a result of {} has {} bytes, more than max-result-size ({}); it is not stored and "
                            + "its key is free again",
                    name(),
                    operation.name(),
                    stored.content().length,
                    policy.maxResultSize());
            release();
            return;
        }
        lease.end();
        boolean mine = Deadline.ignoring(() -> idempotency.store().complete(ownership, stored, policy.ttl()));
        count(mine ? executed() : IdempotencyOutcome.LEASE_LOST);
    }

    private void release() {
        lease.end();
        boolean mine = Deadline.ignoring(() -> idempotency.store().release(ownership));
        count(mine ? IdempotencyOutcome.RELEASED : IdempotencyOutcome.LEASE_LOST);
    }

    /** The caller has its answer, and does not get another one because of the store. */
    private void guarded(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException | Error unavailable) {
            log.warn(
                    "Idempotency '{}': how a call of {} ended could not be stored; its key stays taken until the lease "
                            + "ends",
                    name(),
                    operation.name(),
                    unavailable);
            count(IdempotencyOutcome.STORE_FAILURE);
        } finally {
            if (hasCallEnded()) {
                lease.end();
            }
        }
    }

    /** Once a call. */
    private void count(IdempotencyOutcome outcome) {
        if (counted.compareAndSet(false, true)) {
            idempotency.count(outcome);
        }
    }

    private String name() {
        return idempotency.name();
    }
}
