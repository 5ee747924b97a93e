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
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeasedRows;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Invocation;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A call on its way to its key, or to an earlier call's answer. Used by one thread at a time. */
final class IdempotencyCall {

    /** Sets this process apart from every other; followed by a number for each call. */
    private static final String PROCESS = UUID.randomUUID().toString();

    private static final AtomicLong CALLS = new AtomicLong();
    private static final Duration FIRST_WAIT = Duration.ofMillis(10);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE_AFTER_LOST_CLAIM = Duration.ofMinutes(1);

    /** The call with its key; {@code null} if it runs unprotected, because the store is down. */
    @Nullable
    IdempotentExecution execution;

    /** Whether another call with its key was running, for which it has waited, or waits. */
    boolean hasWaited;

    private final Idempotency idempotency;
    private final IdempotencyPolicy policy;
    private final IdempotentOperation operation;
    private final ClaimRequest request;
    private final Runnable onReplay;
    private final long start;
    private Duration nextWait = FIRST_WAIT;
    private Duration leaseLeft = FIRST_WAIT;
    private @Nullable StoredResult stored;

    IdempotencyCall(Idempotency idempotency, IdempotentOperation operation, String key, Invocation invocation) {
        this.idempotency = idempotency;
        this.policy = idempotency.policy();
        this.operation = operation;
        this.onReplay = operation.onReplay(invocation);
        this.start = idempotency.time.nanoTime();
        boolean isCompared = policy.fingerprint() || operation.isFromCode();
        this.request = new ClaimRequest(
                RecordKey.of(operation.name(), operation.callerScope(), key),
                PROCESS + "-" + CALLS.incrementAndGet(),
                isCompared ? RecordKey.fingerprint(operation.describe(invocation.arguments())) : "",
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
        Claim claim = Idempotency.uninterruptibly(this::ask);
        return claim == null ? null : decide(claim);
    }

    /** Returns {@code null} if the call is to run unprotected, but not because the caller was interrupted meanwhile. */
    private @Nullable Claim ask() {
        try {
            return Objects.requireNonNull(idempotency.store().claim(request), "the store gave no answer");
        } catch (RuntimeException unavailable) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            boolean failsOpen = policy.onStoreFailure() == OnStoreFailure.FAIL_OPEN && !hasWaited && !interrupted;
            boolean isFull = unavailable instanceof LeasedRows.FullException;
            if (!failsOpen && !isFull) {
                freeIn(Duration.ofSeconds(1));
            }
            if (hasWaited && interrupted) {
                throw inProgress();
            }
            idempotency.reports.count(IdempotencyOutcome.STORE_FAILURE);
            String why = isFull ? "the store is full" : "the store does not answer";
            if (failsOpen) {
                String what = why + "; the call runs unprotected";
                idempotency.reports.failed(IdempotencyReports.UNPROTECTED, what, unavailable);
                return null;
            }
            String what = why + ", so the call was not made";
            idempotency.reports.failed(IdempotencyReports.REFUSED, what, unavailable);
            throw new IdempotencyStoreException("Idempotency '" + name() + "': " + what, unavailable);
        }
    }

    /**
     * The claim may have been applied although its answer was lost: nothing runs, and the key stays taken. The same owner
     * claims again, because a release needs the fence that only an answer tells, and releases what it gets. Tried for two
     * minutes, unless the application ends; then the lease ends by itself.
     */
    private void freeIn(Duration pause) {
        IdempotencyStore store = idempotency.store();
        idempotency.waits.schedule(pause, () -> {
            if (idempotency.waits.isStopped()) {
                return; // woken by the end of the application
            }
            try {
                if (store.claim(request.withoutTakeOver()) instanceof Claim.Acquired acquired) {
                    store.release(acquired.token());
                }
            } catch (RuntimeException unavailable) {
                if (pause.compareTo(LONGEST_PAUSE_AFTER_LOST_CLAIM) < 0) {
                    freeIn(pause.multipliedBy(2));
                } else {
                    idempotency.reports.completionFailed(operation, unavailable);
                }
            }
        });
    }

    private @Nullable Duration decide(Claim claim) {
        if (claim instanceof Claim.Acquired acquired) {
            execution = idempotency.executions.of(new ClaimedRecord(idempotency, policy, operation, acquired));
            return null;
        }
        if (claim instanceof Claim.Completed completed) {
            stored = completed.result();
            return null;
        }
        if (claim instanceof Claim.InProgress running) {
            leaseLeft = running.leaseLeft();
            hasWaited = true;
            return waitOrRefuse();
        }
        if (claim instanceof Claim.KeyReused) {
            idempotency.reports.count(IdempotencyOutcome.KEY_REUSED);
            throw new IdempotencyKeyReusedException(
                    "The idempotency key was used before, with other arguments or for another type of result (policy '"
                            + name() + "')");
        }
        idempotency.reports.count(IdempotencyOutcome.OUTCOME_UNKNOWN);
        throw new IdempotencyOutcomeUnknownException((claim instanceof Claim.Executed
                        ? "An earlier call with this idempotency key had its effect, but its result was lost"
                        : "An earlier call with this idempotency key died, and whether it had its effect is not known")
                + " (policy '" + name() + "')");
    }

    private Duration waitOrRefuse() {
        Duration waited = Duration.ofNanos(idempotency.time.nanoTime() - start);
        Duration left = Deadline.limit(policy.waitTimeout().minus(waited));
        if (policy.onInProgress() == OnInProgress.REJECT || left.isZero() || left.isNegative()) {
            throw inProgress();
        }
        Duration wait = Durations.min(nextWait, left);
        nextWait = Durations.min(LONGEST_WAIT, nextWait.multipliedBy(2));
        return wait;
    }

    /** The call gives up because another one with its key is running. */
    IdempotencyInProgressException inProgress() {
        idempotency.reports.count(IdempotencyOutcome.IN_PROGRESS);
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
        StoredResult result = Objects.requireNonNull(stored);
        Object answer = read(result);
        idempotency.reports.count(IdempotencyOutcome.REPLAYED);
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
                    : idempotency.exceptions.read(result.content());
        } catch (Exception | LinkageError unreadable) {
            idempotency.reports.count(IdempotencyOutcome.STORE_FAILURE);
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
