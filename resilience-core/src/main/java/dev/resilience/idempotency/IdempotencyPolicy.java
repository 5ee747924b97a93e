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

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
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

        /** How long a result is replayed, from completion on; default 24 h, not shorter than the lease. */
        public Builder ttl(Duration fromCompletion) {
            ttl = fromCompletion;
            return this;
        }

        /** How long an owner holds a key without renewing; default 30 s, at least 1 ms. */
        public Builder lease(Duration withoutRenewal) {
            lease = withoutRenewal;
            return this;
        }

        /** How long a lease is renewed at the most; default 10 min, not shorter than the lease. */
        public Builder maxLease(Duration longest) {
            maxLease = longest;
            return this;
        }

        /** What a call gets while another one holds its key; default {@link OnInProgress#REJECT}. */
        public Builder onInProgress(OnInProgress answer) {
            onInProgress = answer;
            return this;
        }

        /** How long {@link OnInProgress#WAIT} waits; default 5 s, above zero. */
        public Builder waitTimeout(Duration atMost) {
            waitTimeout = atMost;
            return this;
        }

        /** What happens after the owner of a key died; default {@link OnAbandoned#TAKE_OVER}. */
        public Builder onAbandoned(OnAbandoned reaction) {
            onAbandoned = reaction;
            return this;
        }

        /** Whether other arguments under a used key are refused; default true. */
        public Builder fingerprint(boolean isCompared) {
            fingerprint = isCompared;
            return this;
        }

        /** Exceptions that are a final answer, each with a public {@code (String)} constructor; default none. */
        public Builder replayExceptions(List<Class<? extends Throwable>> types) {
            replayExceptions = types;
            return this;
        }

        /** What happens when the store does not answer; default {@link OnStoreFailure#FAIL_CLOSED}. */
        public Builder onStoreFailure(OnStoreFailure reaction) {
            onStoreFailure = reaction;
            return this;
        }

        /** The largest result that is stored, in bytes; default 262,144, at least 1. */
        public Builder maxResultSize(long bytes) {
            maxResultSize = bytes;
            return this;
        }

        /** Whether callers with the same key are kept apart; default {@link Scope#CALLER}. */
        public Builder scope(Scope callers) {
            scope = callers;
            return this;
        }

        /** Whether results are written in the method's transaction; default {@link Transactional#AUTO}. */
        public Builder transactional(Transactional where) {
            transactional = where;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
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
