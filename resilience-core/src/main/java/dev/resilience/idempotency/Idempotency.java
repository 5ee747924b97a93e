package dev.resilience.idempotency;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.Require;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

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
    private final IdempotentExecution.Factory executions;
    private final TimeSource time;
    private final Waits waits;
    private final EventPublisher events;
    private final ExceptionCodec exceptions;
    private final IdempotencyLog log;
    private volatile IdempotencyPolicy policy;
    private final Set<String> operations = ConcurrentHashMap.newKeySet();
    private final OutcomeCounters<IdempotencyOutcome> calls = new OutcomeCounters<>(IdempotencyOutcome.class);

    /** For adapters; applications ask {@link dev.resilience.Resilience#idempotency}. */
    public Idempotency(String name, IdempotencyPolicy policy, IdempotencyStore store, Environment environment) {
        this(name, policy, store, environment, SimpleExecution::new);
    }

    /**
     * For adapters.
     *
     * @param executions makes what stores the answers of calls, perhaps in transactions of theirs
     */
    public Idempotency(
            String name,
            IdempotencyPolicy policy,
            IdempotencyStore store,
            Environment environment,
            IdempotentExecution.Factory executions) {
        this.executions = executions;
        this.name = name;
        this.policy = policy;
        this.store = store;
        this.time = environment.time();
        this.waits = environment.waits("resilience-idempotency-" + name + "-");
        this.events = environment.events();
        this.log = new IdempotencyLog(name, time, calls::byLabel);
        this.exceptions = new ExceptionCodec(policy.replayExceptions(), log);
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
        return next -> new IdempotencyStep(this, operation, next);
    }

    /** The full names of the methods that are protected. */
    public Set<String> operations() {
        return Set.copyOf(operations);
    }

    /** Where the records are kept. */
    public IdempotencyStore store() {
        return store;
    }

    /**
     * Ends the waits of calls for their keys, which are refused, lets idle threads go, and writes to the log what is folded.
     * What is still called and need not wait works as before.
     */
    @Override
    public void close() {
        waits.close();
        log.close();
    }

    IdempotentExecution execution(ClaimedRecord record) {
        return executions.of(record);
    }

    IdempotencyLog log() {
        return log;
    }

    void completionFailed(IdempotentOperation operation, Throwable unavailable) {
        String what = "how a call of " + operation.name()
                + " ended could not be stored; its key stays taken until the lease ends";
        log.failed(IdempotencyLog.COMPLETION_FAILED, what, unavailable);
    }

    /** Runs asynchronous calls that have waited for their key on threads of its own. */
    Waits waits() {
        return waits;
    }

    TimeSource time() {
        return time;
    }

    ExceptionCodec exceptions() {
        return exceptions;
    }

    /** Does something that an interrupt which has come before it does not disturb; it is there again afterwards. */
    public static <T extends @Nullable Object> T uninterruptibly(Supplier<T> action) {
        boolean interrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    String newOwner() {
        return PROCESS + "-" + CALLS.incrementAndGet();
    }

    void count(IdempotencyOutcome outcome) {
        calls.count(outcome);
        events.publish(() -> new IdempotencyDecided(time.now(), name, outcome));
    }

    /** Stores the answer when the call ends. It runs, until it has ended or lost its key to another call. */
    private static final class SimpleExecution implements IdempotentExecution {

        private final ClaimedRecord record;
        private final AtomicBoolean isOver = new AtomicBoolean();

        SimpleExecution(ClaimedRecord record) {
            this.record = record;
            record.keepLease(this::renew);
        }

        @Override
        public IdempotencyContext context(Invocation call) {
            return record.context(call);
        }

        private void renew(Duration lease) {
            if (!record.renew(lease) && isOver.compareAndSet(false, true)) {
                record.lost();
            }
        }

        @Override
        public void callReturned(@Nullable Object result, boolean isStorable) {
            end(() -> isStorable ? record.answer(result) : null);
        }

        @Override
        public void callThrew(Throwable failure) {
            end(() -> record.answerOf(failure));
        }

        @Override
        public void notRun() {
            end(() -> null);
        }

        private void end(Supplier<@Nullable StoredResult> answer) {
            if (isOver.compareAndSet(false, true)) {
                record.endLease();
                try {
                    record.end(answer.get());
                } catch (RuntimeException | Error unwritable) {
                    record.notStored(unwritable);
                }
            }
        }
    }

    /** What an idempotency policy writes to the log: above all, that its store does not answer. Never keys or results. */
    static final class IdempotencyLog implements AutoCloseable {

        static final LogLine REFUSED = LogLine.warn("idempotency_store_failed", "store_failure");
        static final LogLine UNPROTECTED = LogLine.warn("idempotency_unprotected", "store_failure");
        static final LogLine RENEWAL_FAILED = LogLine.warn("idempotency_renewal_failed");
        static final LogLine COMPLETION_FAILED = LogLine.warn("idempotency_completion_failed", "store_failure");
        static final LogLine CHECK_FAILED = LogLine.warn("idempotency_check_failed");
        private static final LogLine LEASE_LOST = LogLine.warn("idempotency_lease_lost", "lease_lost");
        private static final LogLine RESULT_NOT_KEPT = LogLine.warn("idempotency_result_not_kept");
        private static final LogLine NOT_REPLAYED = LogLine.warn("idempotency_exception_not_replayed");

        private final String policy;
        private final FoldedLog log;

        IdempotencyLog(String policy, TimeSource time, Supplier<Map<String, Long>> counts) {
            this.policy = policy;
            this.log = new FoldedLog(
                    LoggerFactory.getLogger(Idempotency.class),
                    time,
                    "Idempotency",
                    policy,
                    "idempotency_summary",
                    counts);
        }

        /** The store has failed. */
        void failed(LogLine event, String what, Throwable unavailable) {
            log.write(
                    event,
                    line -> LoggedFailure.of(unavailable)
                            .addTo(line)
                            .setCause(unavailable)
                            .log("Idempotency '{}': {}", policy, what));
        }

        void leaseLost() {
            log.write(
                    LEASE_LOST,
                    line -> line.log("Idempotency '{}': a running call has lost its lease to another one", policy));
        }

        /**
         * @param why as a sentence without its full stop
         */
        void resultNotKept(String why) {
            log.write(
                    RESULT_NOT_KEPT,
                    line -> line.addKeyValue("reason", why)
                            .log("Idempotency '{}': {}; it is not stored and its key is free again", policy, why));
        }

        /** Once for each type. */
        void notReplayed(String type) {
            log.once(
                    type,
                    NOT_REPLAYED,
                    line -> line.addKeyValue("errorType", type)
                            .log(
                                    "Idempotency '{}': a {} is not replayed, and its key is free again, because its constructor "
                                            + "refuses the message that it was thrown with: give the class a public "
                                            + "constructor that takes the message as it is. Logged once.",
                                    policy,
                                    type));
        }

        @Override
        public void close() {
            log.close();
        }
    }
}
