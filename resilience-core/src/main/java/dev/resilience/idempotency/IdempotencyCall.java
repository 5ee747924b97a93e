package dev.resilience.idempotency;

import dev.resilience.context.Deadline;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy.OnAbandoned;
import dev.resilience.idempotency.IdempotencyPolicy.OnInProgress;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Invocation;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call on its way to its key, or to an earlier call's answer. Used by one thread at a time. */
final class IdempotencyCall {

    private static final Duration FIRST_WAIT = Duration.ofMillis(10);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final ClaimRequest request;
    private final Runnable onReplay;
    private final long start;
    private Duration nextWait = FIRST_WAIT;
    private Duration leaseLeft = FIRST_WAIT;
    private @Nullable StoredResult stored;
    private @Nullable IdempotentExecution execution;
    private boolean isRunningElsewhere;

    IdempotencyCall(Idempotency idempotency, IdempotentOperation operation, String key, Invocation invocation) {
        this.idempotency = idempotency;
        this.policy = idempotency.policy();
        this.operation = operation;
        this.onReplay = operation.onReplay(invocation);
        this.start = idempotency.time().nanoTime();
        this.request = new ClaimRequest(
                RecordKey.of(operation.name(), operation.callerScope(invocation), key),
                idempotency.newOwner(),
                policy.fingerprint() ? RecordKey.fingerprint(operation.describe(invocation.arguments())) : "",
                policy.lease(),
                policy.ttl(),
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
        Claim claim = Uninterruptibly.call(this::ask);
        return claim == null ? null : decide(claim);
    }

    /** Returns {@code null} if the call is to run unprotected, but not because the caller was interrupted meanwhile. */
    private @Nullable Claim ask() {
        try {
            return Objects.requireNonNull(idempotency.store().claim(request), "the store gave no answer");
        } catch (RuntimeException unavailable) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            boolean failsOpen =
                    policy.onStoreFailure() == OnStoreFailure.FAIL_OPEN && !isRunningElsewhere && !interrupted;
            if (!failsOpen) {
                idempotency.lostClaims().free(request);
            }
            if (isRunningElsewhere && interrupted) {
                countInProgress();
                throw stillInProgress();
            }
            idempotency.count(IdempotencyOutcome.STORE_FAILURE);
            if (failsOpen) {
                idempotency.log().unprotected(unavailable);
                return null;
            }
            idempotency.log().refused(unavailable);
            throw new IdempotencyStoreException(
                    "Idempotency '" + name() + "': the store does not answer, so the call was not made", unavailable);
        }
    }

    private @Nullable Duration decide(Claim claim) {
        if (claim instanceof Claim.Acquired acquired) {
            execution = new IdempotentExecution(idempotency, policy, operation, acquired);
            return null;
        }
        if (claim instanceof Claim.Completed completed) {
            stored = completed.result();
            return null;
        }
        if (claim instanceof Claim.InProgress running) {
            leaseLeft = running.leaseLeft();
            isRunningElsewhere = true;
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
                        : "An earlier call with this idempotency key died, and whether it had its effect is not known")
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

    /** The call with its key; {@code null} if it runs unprotected, because the store is down. */
    @Nullable
    IdempotentExecution execution() {
        return execution;
    }

    /** Whether it had to wait for another call with its key. */
    boolean hasWaited() {
        return isRunningElsewhere;
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
        onReplay.run();
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

    private String name() {
        return idempotency.name();
    }
}
