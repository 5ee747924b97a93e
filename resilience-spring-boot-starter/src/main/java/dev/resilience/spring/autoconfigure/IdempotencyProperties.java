package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.IdempotencyPolicy;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * What is written under {@code resilience.idempotency.<name>}.
 */
@ConfigurationProperties("resilience.idempotency.default") // for the metadata: the policies are bound by PolicyBinder
public final class IdempotencyProperties extends PolicyProperties<IdempotencyPolicy> {

    /** How long a result is replayed, counted from completion. */
    private Duration ttl = Duration.ofHours(24);

    /** How long an owner holds a key without renewing; renewed every third of it while the call runs. */
    private Duration lease = Duration.ofSeconds(30);

    /** From then on the lease is no longer renewed. */
    private Duration maxLease = Duration.ofMinutes(10);

    /** What a call gets whose key is held by a running one: reject or wait. */
    private IdempotencyPolicy.OnInProgress onInProgress = IdempotencyPolicy.OnInProgress.REJECT;

    /** How long on-in-progress=wait waits. */
    private Duration waitTimeout = Duration.ofSeconds(5);

    /**
     * What happens after the owner of a key died: take-over runs again (at least once), reject never runs again (at
     * most once).
     */
    private IdempotencyPolicy.OnAbandoned onAbandoned = IdempotencyPolicy.OnAbandoned.TAKE_OVER;

    /** Whether other arguments under a used key are refused. */
    private boolean fingerprint = true;

    /**
     * Exceptions, subclasses included, that are a final answer and are replayed; each needs a constructor with one
     * String.
     */
    private List<Class<? extends Throwable>> replayExceptions = List.of();

    /** Whether calls are refused or run unprotected when the store does not answer. */
    private IdempotencyPolicy.OnStoreFailure onStoreFailure = IdempotencyPolicy.OnStoreFailure.FAIL_CLOSED;

    /** The largest result that is stored. */
    private DataSize maxResultSize = DataSize.ofKilobytes(256);

    /** Whether callers are kept apart, so that one never sees another's result. */
    private IdempotencyPolicy.Scope scope = IdempotencyPolicy.Scope.CALLER;

    /** Whether the JDBC store writes the result in the method's own transaction. */
    private IdempotencyPolicy.Transactional transactional = IdempotencyPolicy.Transactional.AUTO;

    public Duration getTtl() {
        return ttl;
    }

    public void setTtl(Duration ttl) {
        this.ttl = ttl;
    }

    public Duration getLease() {
        return lease;
    }

    public void setLease(Duration lease) {
        this.lease = lease;
    }

    public Duration getMaxLease() {
        return maxLease;
    }

    public void setMaxLease(Duration maxLease) {
        this.maxLease = maxLease;
    }

    public IdempotencyPolicy.OnInProgress getOnInProgress() {
        return onInProgress;
    }

    public void setOnInProgress(IdempotencyPolicy.OnInProgress onInProgress) {
        this.onInProgress = onInProgress;
    }

    public Duration getWaitTimeout() {
        return waitTimeout;
    }

    public void setWaitTimeout(Duration waitTimeout) {
        this.waitTimeout = waitTimeout;
    }

    public IdempotencyPolicy.OnAbandoned getOnAbandoned() {
        return onAbandoned;
    }

    public void setOnAbandoned(IdempotencyPolicy.OnAbandoned onAbandoned) {
        this.onAbandoned = onAbandoned;
    }

    public boolean isFingerprint() {
        return fingerprint;
    }

    public void setFingerprint(boolean fingerprint) {
        this.fingerprint = fingerprint;
    }

    public List<Class<? extends Throwable>> getReplayExceptions() {
        return replayExceptions;
    }

    public void setReplayExceptions(List<Class<? extends Throwable>> replayExceptions) {
        this.replayExceptions = replayExceptions;
    }

    public IdempotencyPolicy.OnStoreFailure getOnStoreFailure() {
        return onStoreFailure;
    }

    public void setOnStoreFailure(IdempotencyPolicy.OnStoreFailure onStoreFailure) {
        this.onStoreFailure = onStoreFailure;
    }

    public DataSize getMaxResultSize() {
        return maxResultSize;
    }

    public void setMaxResultSize(DataSize maxResultSize) {
        this.maxResultSize = maxResultSize;
    }

    public IdempotencyPolicy.Scope getScope() {
        return scope;
    }

    public void setScope(IdempotencyPolicy.Scope scope) {
        this.scope = scope;
    }

    public IdempotencyPolicy.Transactional getTransactional() {
        return transactional;
    }

    public void setTransactional(IdempotencyPolicy.Transactional transactional) {
        this.transactional = transactional;
    }

    @Override
    IdempotencyPolicy toPolicy() {
        return IdempotencyPolicy.builder()
                .ttl(ttl)
                .lease(lease)
                .maxLease(maxLease)
                .onInProgress(onInProgress)
                .waitTimeout(waitTimeout)
                .onAbandoned(onAbandoned)
                .fingerprint(fingerprint)
                .replayExceptions(ExceptionClasses.checked("replay-exceptions", replayExceptions))
                .onStoreFailure(onStoreFailure)
                .maxResultSize(maxResultSize.toBytes())
                .scope(scope)
                .transactional(transactional)
                .build();
    }
}
