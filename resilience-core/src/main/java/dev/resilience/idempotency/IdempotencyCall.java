package dev.resilience.idempotency;

import dev.resilience.deadline.Deadline;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.pipeline.Invocation;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One call's way through the states of its record. Used by one thread at a time. */
final class IdempotencyCall {

    private static final Logger log = LoggerFactory.getLogger(Idempotency.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(10);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final ClaimRequest request;
    private final long start;
    private Duration nextWait = FIRST_WAIT;
    private Duration leaseLeft = FIRST_WAIT;
    private @Nullable StoredResult stored;
    private @Nullable Ownership ownership;
    private @Nullable LeaseKeeper lease;
    private boolean takenOver;

    IdempotencyCall(Idempotency idempotency, IdempotentOperation operation, Invocation invocation) {
        this.idempotency = idempotency;
        this.policy = idempotency.policy();
        this.operation = operation;
        this.start = idempotency.time().nanoTime();
        this.request = new ClaimRequest(
                RecordKey.of(operation.name(), operation.callerScope(), operation.key(invocation)),
                idempotency.newOwner(),
                policy.fingerprint() ? RecordKey.fingerprint(operation.describe(invocation.arguments())) : "",
                policy.lease(),
                policy.onAbandoned() == OnAbandoned.TAKE_OVER);
    }

    /**
     * Claims the record.
     *
     * @return how long to wait before claiming again, or {@code null} if it is decided: see {@link #isAnswered()}
     * @throws ResilienceException if the call is refused
     */
    @Nullable
    Duration claim() {
        Claim claim;
        try {
            claim = Objects.requireNonNull(idempotency.store().claim(request), "the store gave no answer");
        } catch (RuntimeException unavailable) {
            idempotency.count(IdempotencyOutcome.STORE_FAILURE);
            if (policy.onStoreFailure() == OnStoreFailure.FAIL_OPEN) {
                log.warn("Idempotency '{}': the store does not answer; the call runs unprotected", name(), unavailable);
                return null;
            }
            throw new IdempotencyStoreException(
                    "Idempotency '" + name() + "': the store does not answer, so the call was not made", unavailable);
        }
        return decide(claim);
    }

    private @Nullable Duration decide(Claim claim) {
        if (claim instanceof Claim.Acquired acquired) {
            ownership = acquired.ownership();
            takenOver = acquired.takenOver();
            lease = new LeaseKeeper(idempotency, acquired.ownership());
            return null;
        }
        if (claim instanceof Claim.Completed completed) {
            stored = completed.result();
            return null;
        }
        if (claim instanceof Claim.InProgress running) {
            leaseLeft = running.leaseLeft();
            return waitOrRefuse();
        }
        if (claim instanceof Claim.KeyReused) {
            idempotency.count(IdempotencyOutcome.KEY_REUSED);
            throw new IdempotencyKeyReusedException(
                    "The idempotency key was used before, with other arguments (policy '" + name() + "')");
        }
        idempotency.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
        throw new IdempotencyOutcomeUnknownException((claim instanceof Claim.Executed
                        ? "An earlier call with this idempotency key had its effect, but its result was lost"
                        : "An earlier call with this idempotency key died, and nobody knows whether it had its effect")
                + " (policy '" + name() + "')");
    }

    private Duration waitOrRefuse() {
        Duration waited = Duration.ofNanos(idempotency.time().nanoTime() - start);
        Duration left = Deadline.limit(policy.waitTimeout().minus(waited));
        if (policy.onInProgress() == OnInProgress.REJECT || left.isZero() || left.isNegative()) {
            countInProgress();
            throw stillInProgress();
        }
        Duration wait = Durations.min(nextWait, left);
        nextWait = Durations.min(LONGEST_WAIT, nextWait.multipliedBy(2));
        return wait;
    }

    /** The call gives up because another one with its key is running. */
    void countInProgress() {
        idempotency.count(IdempotencyOutcome.IN_PROGRESS);
    }

    IdempotencyInProgressException stillInProgress() {
        return new IdempotencyInProgressException(
                "A call with the same idempotency key is running (policy '" + name() + "')", leaseLeft);
    }

    /** Whether an earlier call's answer is to be given, in place of running. */
    boolean isAnswered() {
        return stored != null;
    }

    /** The earlier call's answer: returns what it returned, throws what it threw. */
    @Nullable
    Object answer() throws Throwable {
        StoredResult result = stored;
        if (result == null) {
            throw new IllegalStateException("There is no earlier answer");
        }
        Object answer = read(result);
        idempotency.count(IdempotencyOutcome.REPLAYED);
        if (result.kind() == StoredResult.Kind.EXCEPTION && answer instanceof Throwable failure) {
            throw failure;
        }
        return answer;
    }

    private @Nullable Object read(StoredResult result) {
        try {
            return result.kind() == StoredResult.Kind.VALUE
                    ? operation.read(result.content())
                    : idempotency.exceptions().read(result.content());
        } catch (Exception | LinkageError unreadable) {
            idempotency.count(IdempotencyOutcome.STORE_FAILURE);
            throw new IdempotencyStoreException(
                    "Idempotency '" + name() + "': the stored result of " + operation.name()
                            + " cannot be read; the call is refused until its record is deleted",
                    unreadable);
        }
    }

    /** The method returned. */
    void returned(@Nullable Object result) {
        Ownership mine = ownership;
        if (mine == null) {
            return;
        }
        try {
            store(mine, new StoredResult(StoredResult.Kind.VALUE, operation.write(result)));
        } catch (RuntimeException | Error unavailable) {
            notStored(unavailable);
        } finally {
            endLease();
        }
    }

    /** The method threw. */
    void threw(Throwable failure) {
        Ownership mine = ownership;
        if (mine == null) {
            return;
        }
        try {
            if (idempotency.exceptions().isFinalAnswer(failure)) {
                byte[] content = idempotency.exceptions().write(failure);
                store(mine, new StoredResult(StoredResult.Kind.EXCEPTION, content));
            } else {
                release(mine);
            }
        } catch (RuntimeException | Error unavailable) {
            notStored(unavailable);
        } finally {
            endLease();
        }
    }

    /** The caller gave up before the method was run. */
    void notRun() {
        Ownership mine = ownership;
        if (mine != null) {
            try {
                release(mine);
            } catch (RuntimeException | Error unavailable) {
                notStored(unavailable);
            }
        }
    }

    /**
     * The caller gave up while the method ran, and nobody can tell whether it still runs: cancelling a future stops
     * nothing. So the key is not freed; its lease runs out, and then the policy for dead owners holds.
     */
    void abandoned() {
        if (ownership != null) {
            endLease();
            idempotency.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
        }
    }

    private void store(Ownership mine, StoredResult result) {
        if (result.content().length > policy.maxResultSize()) {
            log.warn(
                    "Idempotency '{}': a result of {} has {} bytes, more than max-result-size ({}); it is not stored and "
                            + "its key is free again",
                    name(),
                    operation.name(),
                    result.content().length,
                    policy.maxResultSize());
            release(mine);
            return;
        }
        endLease();
        boolean stored = Deadline.ignoring(() -> idempotency.store().complete(mine, result, policy.ttl()));
        IdempotencyOutcome done = takenOver ? IdempotencyOutcome.TAKEN_OVER : IdempotencyOutcome.EXECUTED;
        idempotency.count(stored ? done : IdempotencyOutcome.LEASE_LOST);
    }

    private void release(Ownership mine) {
        endLease();
        boolean released = Deadline.ignoring(() -> idempotency.store().release(mine));
        idempotency.count(released ? IdempotencyOutcome.RELEASED : IdempotencyOutcome.LEASE_LOST);
    }

    private void notStored(Throwable unavailable) {
        log.warn(
                "Idempotency '{}': how a call of {} ended could not be stored; its key stays taken until the lease ends",
                name(),
                operation.name(),
                unavailable);
        idempotency.count(IdempotencyOutcome.STORE_FAILURE);
    }

    private void endLease() {
        if (lease != null) {
            lease.end();
        }
    }

    private String name() {
        return idempotency.name();
    }
}
