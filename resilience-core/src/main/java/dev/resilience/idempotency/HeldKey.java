package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.pipeline.IdempotencyContext;
import org.jspecify.annotations.Nullable;

/**
 * The key of a call that runs, from its claim to its end, and what is written about that: in the transaction of the body
 * where it has one, by itself otherwise.
 *
 * <p>A result that was written in a transaction is decided with that transaction, which may outlast the call. Until then
 * the transaction has the record locked: nothing here touches it from outside, or it would wait for itself.
 */
final class HeldKey implements RunningBody {

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
    private final IdempotentOperation operation;
    private final OwnedRecord record;
    private Written written = Written.NOT; // this and the next two are guarded by this object
    private @Nullable StoredResult result;
    private boolean callEnded;

    HeldKey(Idempotency idempotency, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.operation = operation;
        this.record = new OwnedRecord(idempotency, operation, claim);
    }

    /** For the method. */
    IdempotencyContext context() {
        return record.context();
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
        StoreTransaction transaction = idempotency.policy().transactional() == Transactional.AUTO
                ? idempotency.store().currentTransaction()
                : null;
        if (transaction != null && operation.isFinal(returned) && operation.keeps(returned)) {
            writeIn(transaction, returned);
        }
    }

    private void writeIn(StoreTransaction transaction, @Nullable Object returned) {
        try {
            StoredResult stored = record.stored(returned);
            String why = record.whyNotKept(stored);
            if (why != null) {
                throw new IdempotencyStoreException(
                        "Idempotency '" + name() + "': " + why + ", so its transaction is rolled back", null);
            }
            record.lease().pause();
            if (!record.complete(transaction, stored, this::transactionEnded)) {
                now(Written.BY_ANOTHER, null);
                record.count(IdempotencyOutcome.LEASE_LOST);
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
        record.lease().resume();
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
        now(Written.FOR_GOOD, null);
        record.lease().end();
        record.count(record.executed());
    }

    private void rolledBack() {
        boolean ended;
        synchronized (this) {
            ended = callEnded;
            written = Written.NOT;
            result = null;
        }
        if (ended) {
            guarded(record::release);
        } else {
            record.lease().resume();
        }
    }

    private void findOut() {
        guarded(() -> {
            boolean ended = hasCallEnded();
            if (!record.isStillInProgress(ended)) {
                forGood();
            } else if (ended) {
                record.count(IdempotencyOutcome.RELEASED);
            } else {
                now(Written.NOT, null);
                record.lease().resume();
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
                    record.complete(record.stored(returned));
                } else {
                    record.release();
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
                    record.complete(new StoredResult(StoredResult.Kind.EXCEPTION, content));
                } else {
                    record.release();
                }
            });
        }
    }

    /** The caller gave up before the method was run. */
    void notRun() {
        guarded(record::release);
    }

    /**
     * The caller gave up while the method ran, and nobody can tell whether it still runs: cancelling a future stops
     * nothing. So the key is not freed; its lease runs out, and then the policy for dead owners holds.
     */
    void abandoned() {
        record.lease().end();
        record.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
    }

    private void guarded(Runnable write) {
        record.guarded(write);
        if (hasCallEnded()) {
            record.lease().end();
        }
    }

    private String name() {
        return idempotency.name();
    }
}
