package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.Transactional;
import dev.resilience.pipeline.IdempotencyContext;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The key of a call that runs, from its claim to its end, and what is written about that: in the transaction of the body
 * where it has one, by itself otherwise.
 *
 * <p>A result that was written in a transaction is decided with that transaction, which may outlast the call. Until then
 * the transaction has the record locked: nothing here touches it from outside, or it would wait for itself. A body that
 * threw, or whose result is not to be kept, leaves an {@link UnwrittenBody}: its transaction may be committed all the
 * same, and must not be if the key is another call's by then.
 */
final class HeldKey implements RunningBody {

    private static final Duration SOON = Duration.ofMillis(1);

    private enum Written {
        NOT,
        /** In a transaction that goes on. */
        PENDING,
        /** In a transaction that goes on, a part of which was rolled back. */
        PERHAPS,
        /** In a transaction that has ended, and nobody knows how: it is found out when its connection is given back. */
        UNDECIDED,
        FOR_GOOD,
        /** By another call, which has taken the key over: there is nothing left to write, nor to release. */
        BY_ANOTHER
    }

    private final Idempotency idempotency;
    private final IdempotentOperation operation;
    private final OwnedRecord record;
    private Written written = Written.NOT; // this and the rest are guarded by this object
    private @Nullable StoredResult result;
    private @Nullable StoreTransaction writtenIn;
    private @Nullable UnwrittenBody unwritten;
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
    public boolean hasEnded() {
        StoreTransaction current = transaction();
        if (is(Written.UNDECIDED)) {
            record.guarded(() -> findOut(current));
        }
        synchronized (this) {
            if (written == Written.FOR_GOOD) {
                return true;
            }
            if (written == Written.PENDING || written == Written.UNDECIDED) {
                if (writtenIn != null && writtenIn.equals(current)) {
                    return true;
                }
                throw new IdempotencyInProgressException(
                        "An earlier attempt of the call is about to be committed (policy '" + name() + "')",
                        idempotency.policy().lease());
            }
        }
        if (current != null && current.isSnapshot()) {
            lock(current);
        }
        return false;
    }

    /** What the transaction sees of the record must not be changed meanwhile, not even by a renewal. */
    private void lock(StoreTransaction transaction) {
        record.lease().hold();
        try {
            if (!record.renew(transaction)) {
                throw refuse(transaction, lost());
            }
        } catch (IdempotencyLeaseLostException refused) {
            throw refused;
        } catch (RuntimeException unavailable) {
            throw refuse(
                    transaction,
                    new IdempotencyStoreException(
                            "Idempotency '" + name() + "': the record of " + operation.name()
                                    + " could not be locked in its transaction, which is rolled back",
                            unavailable));
        }
    }

    @Override
    public @Nullable Object result() throws Throwable {
        StoredResult stored;
        synchronized (this) {
            stored = result;
        }
        if (stored == null) {
            throw new IllegalStateException("The body has not ended");
        }
        return record.read(stored);
    }

    @Override
    public void returned(@Nullable Object returned) {
        StoreTransaction transaction = transaction();
        if (transaction == null) {
            return;
        }
        if (operation.isFinal(returned) && operation.keeps(returned)) {
            writeIn(transaction, returned);
        } else {
            leaveUnwritten(transaction, null);
        }
    }

    @Override
    public void threw(Throwable failure) {
        try {
            StoreTransaction transaction = transaction();
            if (transaction != null) {
                leaveUnwritten(transaction, record.kept(record.stored(failure)));
            }
        } catch (RuntimeException unavailable) {
            failure.addSuppressed(unavailable);
        }
    }

    private @Nullable StoreTransaction transaction() {
        return idempotency.policy().transactional() == Transactional.AUTO
                ? idempotency.store().currentTransaction()
                : null;
    }

    private void writeIn(StoreTransaction transaction, @Nullable Object returned) {
        try {
            StoredResult stored = record.stored(returned);
            String why = record.whyNotKept(stored);
            if (why != null) {
                throw new IdempotencyStoreException(
                        "Idempotency '" + name() + "': " + why + ", so its transaction is rolled back", null);
            }
            write(transaction, stored);
        } catch (IdempotencyStoreException | IdempotencyLeaseLostException refused) {
            throw refuse(transaction, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(transaction, notWritten(unavailable));
        }
    }

    private void write(StoreTransaction transaction, StoredResult stored) {
        record.lease().pause();
        if (!record.complete(transaction, stored, this::transactionEnded)) {
            throw lost();
        }
        synchronized (this) {
            written = Written.PENDING;
            writtenIn = transaction;
            result = stored;
        }
    }

    private IdempotencyLeaseLostException lost() {
        now(Written.BY_ANOTHER);
        record.lease().end();
        record.count(IdempotencyOutcome.LEASE_LOST);
        return new IdempotencyLeaseLostException(
                "The call took longer than its lease, and another one has taken its idempotency key over (policy '"
                        + name() + "'): its transaction is rolled back");
    }

    private IdempotencyStoreException notWritten(RuntimeException cause) {
        return new IdempotencyStoreException(
                "Idempotency '" + name() + "': the result of " + operation.name()
                        + " could not be written in its transaction, which is rolled back",
                cause);
    }

    private ResilienceException refuse(StoreTransaction transaction, ResilienceException why) {
        transaction.rollbackOnly(why);
        record.lease().resume();
        return why;
    }

    private void transactionEnded(StoreTransaction.End end) {
        switch (end) {
            case PARTLY_ROLLED_BACK -> now(Written.PERHAPS);
            case COMMITTED -> {
                if (is(Written.PENDING)) {
                    forGood();
                } else {
                    undecided();
                }
            }
            case ROLLED_BACK -> rolledBack();
            case UNKNOWN -> undecided();
        }
    }

    /** The transaction still has its connection: finding out takes another one, so it has to wait. */
    private void undecided() {
        now(Written.UNDECIDED);
        if (hasCallEnded()) {
            idempotency.time().scheduleUrgent(SOON, this::findOut);
        }
    }

    private void forGood() {
        now(Written.FOR_GOOD);
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

    /** The call has ended. */
    private void findOut() {
        guarded(() -> {
            if (record.releaseIfInProgress()) {
                record.count(IdempotencyOutcome.RELEASED);
            } else {
                forGood();
            }
        });
    }

    /** There is to be another attempt. */
    private void findOut(@Nullable StoreTransaction current) {
        if (!(current == null ? record.renew() : record.renew(current))) {
            forGood();
            return;
        }
        now(Written.NOT);
        if (current == null) {
            record.lease().resume();
        }
    }

    private void leaveUnwritten(StoreTransaction transaction, @Nullable StoredResult answer) {
        UnwrittenBody body;
        synchronized (this) {
            if (unwritten != null && unwritten.isIn(transaction)) {
                unwritten.answerWith(answer);
                return;
            }
            body = new UnwrittenBody(transaction);
            body.answerWith(answer);
            unwritten = body;
        }
        transaction.beforeCommit(() -> confirm(body), end -> ended(body, end));
    }

    /** The transaction of a body that has written nothing is to be committed. */
    private void confirm(UnwrittenBody body) {
        boolean over;
        synchronized (this) {
            if (written != Written.NOT) {
                if (body.isIn(writtenIn)) {
                    return; // by a later attempt in the same transaction
                }
                throw new IdempotencyLeaseLostException("Another attempt of the call has its idempotency key (policy '"
                        + name() + "'): the transaction of this one is rolled back");
            }
            over = callEnded;
        }
        try {
            StoredResult answer = body.answer();
            if (answer != null) {
                write(body.transaction(), answer);
            } else if (!(over ? body.release(record) : record.renew(body.transaction()))) {
                throw lost();
            }
        } catch (IdempotencyLeaseLostException refused) {
            throw refused;
        } catch (RuntimeException unavailable) {
            throw notWritten(unavailable);
        }
    }

    private void ended(UnwrittenBody body, StoreTransaction.End end) {
        if (end == StoreTransaction.End.PARTLY_ROLLED_BACK) {
            return;
        }
        boolean over;
        synchronized (this) {
            if (unwritten == body) {
                unwritten = null;
            }
            if (written != Written.NOT) {
                return;
            }
            over = callEnded;
        }
        if (!over) {
            record.lease().resume();
            return;
        }
        switch (end) {
            case COMMITTED ->
                guarded(body.isReleased() ? () -> record.count(IdempotencyOutcome.RELEASED) : record::release);
            case UNKNOWN -> undecided();
            default -> guarded(record::release);
        }
    }

    private synchronized void now(Written state) {
        written = state;
    }

    private synchronized boolean is(Written state) {
        return written == state;
    }

    private synchronized boolean hasCallEnded() {
        return callEnded;
    }

    /** The call returns this. */
    void callReturned(@Nullable Object returned) {
        callEnded(() -> operation.keeps(returned) ? record.stored(returned) : null);
    }

    /** The call throws this. */
    void callThrew(Throwable failure) {
        callEnded(() -> record.stored(failure));
    }

    /** Decided by a transaction where one is open, and otherwise here. */
    private void callEnded(Supplier<@Nullable StoredResult> how) {
        UnwrittenBody open;
        boolean undecided;
        synchronized (this) {
            callEnded = true;
            undecided = written == Written.UNDECIDED;
            if (written != Written.NOT && !undecided) {
                return;
            }
            open = unwritten;
        }
        if (undecided) {
            findOut();
            return;
        }
        if (open == null) {
            guarded(() -> record.complete(how.get()));
        } else {
            record.guarded(() -> open.answerWith(record.kept(how.get())));
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
