package dev.resilience.bulkhead;

import dev.resilience.policy.Require;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;

/**
 * How many calls run at once and how many wait for a permit. Immutable; every value is checked when the record is made.
 *
 * @param type what limits the calls; default {@link Type#SEMAPHORE}
 * @param maxConcurrent calls that run at once, for type adaptive at the most; default 10, at least 1
 * @param minConcurrent for type adaptive, calls that may run at once at the least; default 1, at least 1, at most {@code
 *     maxConcurrent}
 * @param maxQueue calls that wait in the queue, first come, first served; default 50, 0 refuses at once
 * @param queueTimeout how long a call waits at the most; default 30 s
 * @param virtualThreads whether a thread pool uses virtual threads; default false, true only on Java 21 and later
 * @param enforce share of refusals that is really made, 0 to 1; default 1. The others run without a permit and are counted as
 *     {@code would_reject}. Calls wait in the queue all the same, and what the end of the application, an interrupt or a
 *     deadline refuses is refused
 * @param maxKeys how many keys have a bulkhead of their own where methods have a key; default 10,000, at least 1. Beyond them the
 *     least recently used go, one that holds or queues a call after all others
 */
public record BulkheadPolicy(
        Type type,
        int maxConcurrent,
        int minConcurrent,
        int maxQueue,
        Duration queueTimeout,
        boolean virtualThreads,
        double enforce,
        int maxKeys) {

    public BulkheadPolicy {
        Require.atLeast(1, "max-concurrent", maxConcurrent);
        Require.atLeast(1, "min-concurrent", minConcurrent);
        String tooMany = "must be at most max-concurrent, which is " + maxConcurrent;
        Require.that(type != Type.ADAPTIVE || minConcurrent <= maxConcurrent, "min-concurrent", minConcurrent, tooMany);
        Require.atLeast(0, "max-queue", maxQueue);
        Require.positive("queue-timeout", queueTimeout);
        Require.ratio("enforce", enforce);
        Require.atLeast(1, "max-keys", maxKeys);
        if (virtualThreads) {
            String noThreads = "is for type thread-pool only: a semaphore has no threads";
            Require.that(type == Type.THREAD_POOL, "virtual-threads", true, noThreads);
            int java = Runtime.version().feature();
            String tooOld = "needs Java 21 or later, and this is Java " + java;
            Require.that(WorkerThreads.canBeVirtual(), "virtual-threads", true, tooOld);
        }
    }

    /** What limits the calls. */
    public enum Type {
        /** Calls run on their callers' threads, a limited number at a time. */
        SEMAPHORE,
        /**
         * Calls run on the bulkhead's own threads, as many as run at once; their callers wait, or get a future. A
         * thread-bound transaction stays behind on the caller's thread.
         */
        THREAD_POOL,
        /**
         * As a semaphore, and how many calls run at once follows their latency: between {@code min-concurrent} and {@code
         * max-concurrent}, what the callee can do before calls begin to queue there.
         */
        ADAPTIVE
    }

    /** Ten calls at once, fifty in the queue for up to 30 seconds. */
    public static BulkheadPolicy defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds a policy; the record tells more about each value. Not safe for use by many threads. */
    public static final class Builder {

        private Type type = Type.SEMAPHORE;
        private int maxConcurrent = 10;
        private int minConcurrent = 1;
        private int maxQueue = 50;
        private Duration queueTimeout = Duration.ofSeconds(30);
        private boolean virtualThreads;
        private double enforce = 1;
        private int maxKeys = 10_000;

        private Builder() {}

        /** What limits the calls; default {@link Type#SEMAPHORE}. */
        public Builder type(Type limit) {
            type = limit;
            return this;
        }

        /** Calls that run at once; default 10, at least 1. */
        public Builder maxConcurrent(int calls) {
            maxConcurrent = calls;
            return this;
        }

        /** For type adaptive, calls that may run at once at the least; default 1, at least 1, at most {@code maxConcurrent}. */
        public Builder minConcurrent(int calls) {
            minConcurrent = calls;
            return this;
        }

        /** Calls that wait for a permit; default 50, at least 0, which refuses at once. */
        public Builder maxQueue(int waitingCalls) {
            maxQueue = waitingCalls;
            return this;
        }

        /** How long a call waits at the most; default 30 s, above zero. */
        public Builder queueTimeout(Duration atMost) {
            queueTimeout = atMost;
            return this;
        }

        /** Whether a thread pool uses virtual threads; default false, needs Java 21. */
        public Builder virtualThreads(boolean areUsed) {
            virtualThreads = areUsed;
            return this;
        }

        /** Share of refusals that is really made, from 0 to 1; default 1. The others run without a permit and are counted. */
        public Builder enforce(double share) {
            enforce = share;
            return this;
        }

        /** How many keys have a bulkhead of their own; default 10,000, at least 1. */
        public Builder maxKeys(int keys) {
            maxKeys = keys;
            return this;
        }

        /** Throws an {@link dev.resilience.policy.InvalidPolicyException} that names a value out of its limits. */
        public BulkheadPolicy build() {
            return new BulkheadPolicy(
                    type, maxConcurrent, minConcurrent, maxQueue, queueTimeout, virtualThreads, enforce, maxKeys);
        }
    }
}
