package dev.resilience.idempotency;

import dev.resilience.policy.Require;
import java.time.Duration;
import java.util.List;

/**
 * How long keys and results are kept and what happens in the cases in between. Immutable; every value is checked when
 * the record is made.
 *
 * @param ttl how long a result is replayed, counted from completion; default 24 h, not shorter than the lease
 * @param lease how long an owner holds a key without renewing; default 30 s, at least 1 ms. Renewed every third of it
 *     while the call runs
 * @param maxLease from then on the lease is no longer renewed; default 10 min, not shorter than the lease
 * @param onInProgress what a call gets whose key is held by a running one; default {@link OnInProgress#REJECT}
 * @param waitTimeout how long {@link OnInProgress#WAIT} waits; default 5 s
 * @param onAbandoned what happens after the owner of a key died; default {@link OnAbandoned#TAKE_OVER}
 * @param fingerprint whether other arguments under a used key are refused; default true
 * @param replayExceptions exceptions, subclasses included, that are a final answer and replayed; each needs a public
 *     constructor with one {@code String}. Every other exception releases the key
 * @param onStoreFailure what happens when the store does not answer; default {@link OnStoreFailure#FAIL_CLOSED}
 * @param maxResultSize the largest result that is stored, in bytes; default 256 KB
 * @param scope whether callers are kept apart; default {@link Scope#CALLER}
 * @param transactional whether the result is written in the method's own transaction; default {@link
 *     Transactional#AUTO}
 */
public record IdempotencyPolicy(
        Duration ttl,
        Duration lease,
        Duration maxLease,
        OnInProgress onInProgress,
        Duration waitTimeout,
        OnAbandoned onAbandoned,
        boolean fingerprint,
        List<Class<? extends Throwable>> replayExceptions,
        OnStoreFailure onStoreFailure,
        long maxResultSize,
        Scope scope,
        Transactional transactional) {

    /** What stores can tell from no lease at all. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(1);

    public IdempotencyPolicy {
        Require.positive("ttl", ttl);
        Require.positive("lease", lease);
        Require.that(lease.compareTo(SHORTEST_LEASE) >= 0, "lease", lease, "must be at least 1ms");
        Require.positive("max-lease", maxLease);
        Require.positive("wait-timeout", waitTimeout);
        Require.atLeast(lease, "lease", "ttl", ttl);
        Require.atLeast(lease, "lease", "max-lease", maxLease);
        Require.that(maxResultSize >= 1, "max-result-size", maxResultSize + "B", "must be at least 1B");
        replayExceptions = Require.exceptions("replay-exceptions", replayExceptions);
        Require.none(
                "replay-exceptions",
                replayExceptions.stream()
                        .filter(type -> !ExceptionCodec.canRebuild(type))
                        .map(Class::getName)
                        .toList(),
                "needs a public constructor with one String, through which it is rebuilt");
    }

    /** What a call gets whose key is held by a running one. */
    public enum OnInProgress {
        /** It is refused. */
        REJECT,
        /** It waits for the running one's result, and is refused if that takes too long. */
        WAIT
    }

    /** What happens after the owner of a key died. */
    public enum OnAbandoned {
        /** The next call runs again: at least once. */
        TAKE_OVER,
        /** No call runs again until an operator says so: at most once. */
        REJECT
    }

    /** What happens when the store does not answer. */
    public enum OnStoreFailure {
        /** The call is refused. */
        FAIL_CLOSED,
        /** The call runs unprotected. */
        FAIL_OPEN
    }

    /** Whether callers are kept apart. */
    public enum Scope {
        /** One caller never sees another's result. */
        CALLER,
        /** All callers share their keys. */
        NONE
    }

    /** Whether the result is written in the method's own transaction. */
    public enum Transactional {
        /** Where the store and the method share a data source. */
        AUTO,
        /** In no case. */
        NEVER
    }

    /** Results are replayed for a day; a running call's key is refused. */
    public static IdempotencyPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; not safe for use by many threads. */
    public static final class Builder {

        private Duration ttl = Duration.ofHours(24);
        private Duration lease = Duration.ofSeconds(30);
        private Duration maxLease = Duration.ofMinutes(10);
        private OnInProgress onInProgress = OnInProgress.REJECT;
        private Duration waitTimeout = Duration.ofSeconds(5);
        private OnAbandoned onAbandoned = OnAbandoned.TAKE_OVER;
        private boolean fingerprint = true;
        private List<Class<? extends Throwable>> replayExceptions = List.of();
        private OnStoreFailure onStoreFailure = OnStoreFailure.FAIL_CLOSED;
        private long maxResultSize = 256 * 1024;
        private Scope scope = Scope.CALLER;
        private Transactional transactional = Transactional.AUTO;

        private Builder() {}

        public Builder ttl(Duration value) {
            ttl = value;
            return this;
        }

        public Builder lease(Duration value) {
            lease = value;
            return this;
        }

        public Builder maxLease(Duration value) {
            maxLease = value;
            return this;
        }

        public Builder onInProgress(OnInProgress value) {
            onInProgress = value;
            return this;
        }

        public Builder waitTimeout(Duration value) {
            waitTimeout = value;
            return this;
        }

        public Builder onAbandoned(OnAbandoned value) {
            onAbandoned = value;
            return this;
        }

        public Builder fingerprint(boolean value) {
            fingerprint = value;
            return this;
        }

        public Builder replayExceptions(List<Class<? extends Throwable>> value) {
            replayExceptions = value;
            return this;
        }

        public Builder onStoreFailure(OnStoreFailure value) {
            onStoreFailure = value;
            return this;
        }

        public Builder maxResultSize(long value) {
            maxResultSize = value;
            return this;
        }

        public Builder scope(Scope value) {
            scope = value;
            return this;
        }

        public Builder transactional(Transactional value) {
            transactional = value;
            return this;
        }

        public IdempotencyPolicy build() {
            return new IdempotencyPolicy(
                    ttl,
                    lease,
                    maxLease,
                    onInProgress,
                    waitTimeout,
                    onAbandoned,
                    fingerprint,
                    replayExceptions,
                    onStoreFailure,
                    maxResultSize,
                    scope,
                    transactional);
        }
    }
}
