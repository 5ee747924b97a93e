package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.BodyState.Written;
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

    private final Idempotency idempotency;
    private final IdempotentOperation operation;
    private final OwnedRecord record;
    private final Refusals refusals;
    private final BodyState state = new BodyState();

    HeldKey(Idempotency idempotency, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.operation = operation;
        this.record = new OwnedRecord(idempotency, operation, claim);
        this.refusals = new Refusals(idempotency.name(), operation.name(), idempotency.policy());
    }

    /** For the method. */
    IdempotencyContext context() {
        return record.context();
    }

    @Override
    public boolean hasEnded() {
        StoreTransaction current = transaction();
        if (state.is(Written.UNDECIDED)) {
            record.guarded(() -> findOut(current));
        }
        Written written = state.written();
        if (written == Written.FOR_GOOD || state.isPendingIn(current)) {
            return true;
        }
        if (written == Written.BY_ANOTHER) {
            throw refusals.keyIsAnotherCalls();
        }
        if (written == Written.PENDING || written == Written.UNDECIDED) {
            throw refusals.earlierAttemptIsCommitting();
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
            throw refuse(transaction, refusals.notLocked(unavailable));
        }
    }

    @Override
    public @Nullable Object result() throws Throwable {
        StoredResult stored = state.result();
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
                throw refusals.notKept(why);
            }
            write(transaction, stored);
            transaction.beforeCommit(() -> {}, this::transactionEnded);
        } catch (IdempotencyStoreException | IdempotencyLeaseLostException refused) {
            throw refuse(transaction, refused);
        } catch (RuntimeException unavailable) {
            throw refuse(transaction, refusals.notWritten(unavailable));
        }
    }

    private void write(StoreTransaction transaction, StoredResult stored) {
        record.lease().pause();
        if (!record.complete(transaction, stored)) {
            throw lost();
        }
        state.writtenIn(transaction, stored);
    }

    private IdempotencyLeaseLostException lost() {
        state.becomes(Written.BY_ANOTHER);
        record.lease().end();
        record.count(IdempotencyOutcome.LEASE_LOST);
        return refusals.keyIsAnotherCalls();
    }

    private ResilienceException refuse(StoreTransaction transaction, ResilienceException why) {
        transaction.rollbackOnly(why);
        record.lease().resume();
        return why;
    }

    private void transactionEnded(StoreTransaction.End end) {
        switch (end) {
            case PARTLY_ROLLED_BACK -> state.becomes(Written.PERHAPS);
            case COMMITTED -> {
                if (state.is(Written.PENDING)) {
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
        if (state.becomes(Written.UNDECIDED)) {
            idempotency.time().scheduleUrgent(SOON, this::findOut);
        }
    }

    private void forGood() {
        state.becomes(Written.FOR_GOOD);
        record.lease().end();
        record.count(record.executed());
    }

    private void rolledBack() {
        if (state.becomes(Written.NOT)) {
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
        state.becomes(Written.NOT);
        if (current == null) {
            record.lease().resume();
        }
    }

    private void leaveUnwritten(StoreTransaction transaction, @Nullable StoredResult answer) {
        UnwrittenBody earlier = state.unwrittenIn(transaction);
        if (earlier != null) {
            earlier.answerWith(answer);
            return;
        }
        UnwrittenBody body = new UnwrittenBody(transaction);
        body.answerWith(answer);
        state.leave(body);
        transaction.beforeCommit(() -> confirm(body), end -> ended(body, end));
    }

    /** The transaction of a body that has written nothing is to be committed. */
    private void confirm(UnwrittenBody body) {
        if (state.isPendingIn(body.transaction())) {
            return; // written by a later attempt in the same transaction
        }
        if (!state.is(Written.NOT)) {
            throw refusals.keyIsAnotherAttempts();
        }
        try {
            body.atCommit(writeAtCommit(body));
        } catch (IdempotencyLeaseLostException refused) {
            throw refused;
        } catch (RuntimeException unavailable) {
            throw refusals.notWritten(unavailable);
        }
    }

    private UnwrittenBody.AtCommit writeAtCommit(UnwrittenBody body) {
        StoredResult answer = body.answer();
        if (answer != null) {
            write(body.transaction(), answer);
            return UnwrittenBody.AtCommit.RESULT;
        }
        boolean over = state.hasCallEnded();
        if (!(over ? record.release(body.transaction()) : record.renew(body.transaction()))) {
            throw lost();
        }
        return over ? UnwrittenBody.AtCommit.RELEASE : UnwrittenBody.AtCommit.NOTHING;
    }

    private void ended(UnwrittenBody body, StoreTransaction.End end) {
        if (end == StoreTransaction.End.PARTLY_ROLLED_BACK) {
            return;
        }
        boolean over = state.forget(body);
        if (body.atCommit() == UnwrittenBody.AtCommit.RESULT) {
            transactionEnded(end);
        } else if (!state.is(Written.NOT)) {
            return; // another attempt's business
        } else if (!over) {
            record.lease().resume();
        } else if (end == StoreTransaction.End.UNKNOWN) {
            undecided();
        } else if (end == StoreTransaction.End.COMMITTED && body.atCommit() == UnwrittenBody.AtCommit.RELEASE) {
            guarded(() -> record.count(IdempotencyOutcome.RELEASED));
        } else {
            guarded(record::release);
        }
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
        BodyState.AtEnd atEnd = state.callEnds();
        UnwrittenBody open = atEnd.unwritten();
        switch (atEnd.written()) {
            case UNDECIDED -> findOut();
            case NOT -> {
                if (open == null) {
                    guarded(() -> record.complete(how.get()));
                } else {
                    record.guarded(() -> open.answerWith(record.kept(how.get())));
                }
            }
            default -> {} // the transaction decides, or has decided
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
        if (state.hasCallEnded()) {
            record.lease().end();
        }
    }
}
