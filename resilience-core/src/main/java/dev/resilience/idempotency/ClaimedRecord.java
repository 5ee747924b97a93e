package dev.resilience.idempotency;

import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordLockedException;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.idempotency.store.StoredResult.Kind;
import dev.resilience.pipeline.Invocation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The record that a call has claimed: what is written to it and read from it, its lease, and how the call is counted, which
 * happens once. For {@link IdempotentExecution}s. Safe for use by many threads.
 */
public final class ClaimedRecord {

    /** Between two tries to write to a record that a transaction has locked. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final LeaseToken token;
    private final boolean takenOver;
    private final LeaseKeeper lease;
    private final AtomicBoolean counted = new AtomicBoolean();

    /** @param policy of the claim: another one may be in force by now */
    ClaimedRecord(
            Idempotency idempotency, IdempotencyPolicy policy, IdempotentOperation operation, Claim.Acquired claim) {
        this.idempotency = idempotency;
        this.policy = policy;
        this.operation = operation;
        this.token = claim.token();
        this.takenOver = claim.takenOver();
        this.lease = new LeaseKeeper(idempotency.time, policy.lease(), policy.maxLease());
    }

    /** The name of the policy that the record was claimed under. */
    public String policyName() {
        return idempotency.name();
    }

    /** The policy that the record was claimed under. */
    public IdempotencyPolicy policy() {
        return policy;
    }

    /** The method. */
    public IdempotentOperation operation() {
        return operation;
    }

    /** Where the record is. */
    public IdempotencyStore store() {
        return idempotency.store();
    }

    /** The right to change it. */
    public LeaseToken token() {
        return token;
    }

    /** What the call passes on to other services. */
    public IdempotencyContext context(Invocation call) {
        return new IdempotencyContext(token.key()::downstreamKey, token.fence(), call);
    }

    /** What is to be stored of a result; {@code null} if it is no answer to keep. */
    public @Nullable StoredResult answer(@Nullable Object returned) {
        return operation.keeps(returned) ? new StoredResult(Kind.VALUE, operation.write(returned)) : null;
    }

    /** What is to be stored of an exception; {@code null} if it is no final answer. */
    public @Nullable StoredResult answerOf(Throwable failure) {
        byte[] content = idempotency.exceptions.write(failure);
        return content == null ? null : new StoredResult(Kind.EXCEPTION, content);
    }

    /**
     * What a stored result stands for.
     *
     * @throws Throwable the exception that it stands for, or that it cannot be read
     */
    public @Nullable Object read(StoredResult stored) throws Throwable {
        if (stored.kind() == Kind.VALUE) {
            return operation.read(stored.content());
        }
        throw idempotency.exceptions.read(stored.content());
    }

    /** Why a result cannot be stored; {@code null} if it can. */
    public @Nullable String whyNotKept(StoredResult result) {
        int size = result.content().length;
        return size <= policy.maxResultSize()
                ? null
                : "a result of " + operation.name() + " has " + size + " bytes, more than max-result-size ("
                        + policy.maxResultSize() + ")";
    }

    /**
     * Has the lease renewed every third of it, up to the longest lease.
     *
     * @param renewal renews it for the time that it is given. Does not throw
     */
    public void keepLease(Consumer<Duration> renewal) {
        lease.begin(renewal);
    }

    /** No renewal begins from now on. */
    public void endLease() {
        lease.end();
    }

    /** Renews the lease; {@code false} if another call has the key. A store that does not answer is asked at the next beat. */
    public boolean renew(Duration forLease) {
        try {
            return store().renew(token, forLease);
        } catch (RecordLockedException locked) {
            return true; // no other call can take it over meanwhile
        } catch (RuntimeException unavailable) {
            String what = "a lease could not be renewed; next try in " + lease.interval();
            idempotency.reports.failed(IdempotencyReports.RENEWAL_FAILED, what, unavailable);
            return true;
        }
    }

    /** A running call has lost its lease. */
    public void lost() {
        endLease();
        idempotency.reports.leaseLost();
        count(IdempotencyOutcome.LEASE_LOST);
    }

    /** What has become of the record; locked while the store fails. */
    public ClaimStatus status() {
        return status(() -> undisturbed(() -> store().statusOf(token)));
    }

    /** What has become of the record, as a question to a transaction tells; locked while the store fails. */
    public ClaimStatus status(Supplier<ClaimStatus> question) {
        try {
            return question.get();
        } catch (RuntimeException unavailable) {
            String what = "how the transaction of a call of " + operation.name() + " ended could not be found out";
            idempotency.reports.failed(IdempotencyReports.CHECK_FAILED, what, unavailable);
            return ClaimStatus.LOCKED;
        }
    }

    /**
     * Stores the answer of a call that is over and counts the call; without an answer to store frees the key. While a
     * transaction has the record locked, it is tried again on another thread: the caller has its answer and does not wait.
     */
    public void end(@Nullable StoredResult answer) {
        String why = answer == null ? null : whyNotKept(answer);
        if (why != null) {
            idempotency.reports.resultNotKept(why);
        }
        if (answer == null || why != null) {
            end(() -> store().release(token), IdempotencyOutcome.RELEASED);
        } else {
            end(() -> store().complete(token, answer, policy.ttl()), executed());
        }
    }

    private void end(BooleanSupplier write, IdempotencyOutcome outcome) {
        try {
            count(undisturbed(write::getAsBoolean) ? outcome : IdempotencyOutcome.LEASE_LOST);
        } catch (RecordLockedException locked) {
            if (lease.isSpent()) {
                notStored(locked);
            } else {
                after(PAUSE, () -> end(write, outcome));
            }
        } catch (RuntimeException | Error unavailable) {
            notStored(unavailable);
        }
    }

    /** Neither a deadline nor an interrupt of the caller's keeps the store from being asked. */
    private static <T> T undisturbed(Supplier<T> action) {
        return Idempotency.uninterruptibly(() -> Deadline.ignoring(action));
    }

    /** Does something later, on another thread. */
    public void after(Duration pause, Runnable task) {
        idempotency.time.scheduleUrgent(pause, task);
    }

    /** How a call that was executed is counted. */
    public IdempotencyOutcome executed() {
        return takenOver ? IdempotencyOutcome.TAKEN_OVER : IdempotencyOutcome.EXECUTED;
    }

    /** Counts the call, unless it is counted. */
    public void count(IdempotencyOutcome outcome) {
        if (counted.compareAndSet(false, true)) {
            idempotency.reports.count(outcome);
        }
    }

    /** How the call ended could not be written to the store: its key stays taken until the lease ends. */
    public void notStored(Throwable unavailable) {
        idempotency.reports.completionFailed(operation, unavailable);
        count(IdempotencyOutcome.STORE_FAILURE);
    }
}
