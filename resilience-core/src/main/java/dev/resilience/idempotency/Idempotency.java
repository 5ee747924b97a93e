package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.Require;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An idempotency policy at work: runs a call once per key and answers repeated calls from the store.
 *
 * <p>Unlike the other kinds it needs to know the method that it protects: {@link #protecting} gives the layer for one
 * method. Safe for use by many threads.
 */
public final class Idempotency implements LiveObject<IdempotencyPolicy>, AutoCloseable {

    /** Sets this process apart from every other; followed by a number for each call. */
    private static final String PROCESS = UUID.randomUUID().toString();

    private static final AtomicLong CALLS = new AtomicLong();

    private final String name;
    private final IdempotencyStore store;
    private final PolicyTimeSource time;
    private final EventPublisher events;
    private final ExceptionCodec exceptions;
    private final IdempotencyLog log;
    private final LostClaims lostClaims;
    private volatile IdempotencyPolicy policy;
    private final Set<String> operations = ConcurrentHashMap.newKeySet();
    private final OutcomeCounters<IdempotencyOutcome> calls = new OutcomeCounters<>(IdempotencyOutcome.class);

    /** For adapters; applications ask {@link dev.resilience.Resilience#idempotency}. */
    public Idempotency(
            String name, IdempotencyPolicy policy, IdempotencyStore store, TimeSource time, EventPublisher events) {
        this.name = name;
        this.policy = policy;
        this.store = store;
        this.time = PolicyTimeSource.of("resilience-idempotency-" + name + "-", time);
        this.events = events;
        this.exceptions = new ExceptionCodec(name, policy.replayExceptions());
        this.log = new IdempotencyLog(name, time);
        this.lostClaims = new LostClaims(store, this.time, log);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public IdempotencyPolicy policy() {
        return policy;
    }

    /**
     * Changes the policy for calls that begin from now on; a call that runs keeps the lease that it has. What decides whose
     * and which calls are equal, and what the startup has checked, cannot change.
     *
     * @throws dev.resilience.policy.InvalidPolicyException for another {@code fingerprint}, {@code replay-exceptions},
     *     {@code scope} or {@code transactional}
     */
    @Override
    public synchronized void reconfigure(IdempotencyPolicy changed) {
        IdempotencyPolicy now = policy;
        requireSame("fingerprint", now.fingerprint(), changed.fingerprint());
        requireSame("replay-exceptions", now.replayExceptions(), changed.replayExceptions());
        requireSame("scope", now.scope(), changed.scope());
        requireSame("transactional", now.transactional(), changed.transactional());
        policy = changed;
    }

    private static void requireSame(String key, Object now, Object changed) {
        Require.that(now.equals(changed), key, changed, "cannot change while the application runs: it is " + now);
    }

    /** Calls by how they ended. */
    public OutcomeCounters<IdempotencyOutcome> calls() {
        return calls;
    }

    /** The layer that protects one method. */
    public Layer protecting(IdempotentOperation operation) {
        operations.add(operation.name());
        return new ProtectedOperation(this, operation);
    }

    /** The full names of the methods that are protected. */
    public Set<String> operations() {
        return Set.copyOf(operations);
    }

    /** Where the records are kept. */
    public IdempotencyStore store() {
        return store;
    }

    /** Threads that are busy with asynchronous calls which have waited for another call with their key. */
    public int workers() {
        return time.busyThreads();
    }

    /** Asynchronous calls that have waited for another call with their key, and which now wait for a thread. */
    public int queued() {
        return time.queued();
    }

    /**
     * Ends the waits of calls for their keys, which are refused, lets idle threads go, writes to the log what it has counted
     * in place of single lines, and no longer frees the keys of calls whose claim was not answered. What is still called and
     * need not wait works as before.
     */
    @Override
    public void close() {
        time.close();
        lostClaims.close();
        log.close();
    }

    IdempotencyLog log() {
        return log;
    }

    LostClaims lostClaims() {
        return lostClaims;
    }

    /** Runs asynchronous calls that have waited for their key on threads of its own. */
    PolicyTimeSource time() {
        return time;
    }

    ExceptionCodec exceptions() {
        return exceptions;
    }

    String newOwner() {
        return PROCESS + "-" + CALLS.incrementAndGet();
    }

    void count(IdempotencyOutcome outcome) {
        calls.count(outcome);
        events.publish(() -> new IdempotencyDecided(time.now(), name, outcome));
    }
}
