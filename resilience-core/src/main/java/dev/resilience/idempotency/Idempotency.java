package dev.resilience.idempotency;

import dev.resilience.context.ContextCarrier;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.ThrowingRunnable;
import dev.resilience.pipeline.ThrowingSupplier;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.Require;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency policy at work: runs a call once per key and answers repeated calls from the store.
 *
 * <p>Unlike the other kinds it needs to know the method that it protects: {@link #protecting} gives the layer for one
 * method. Safe for use by many threads.
 */
public final class Idempotency implements LiveObject<IdempotencyPolicy>, AutoCloseable {

    final TimeSource time;
    final ExceptionCodec exceptions;
    final IdempotencyReports reports;
    final IdempotentExecution.Factory executions;

    /** Runs asynchronous calls that have waited for their key on threads of its own. */
    final Waits waits;

    private final String name;
    private final IdempotencyStore store;
    private volatile IdempotencyPolicy policy;
    private final Set<String> operations = ConcurrentHashMap.newKeySet();
    private final BiFunction<Idempotency, Type, Function<CallFromCode, Layer>> results;
    private final Map<Type, Function<CallFromCode, Layer>> fromCode = new ConcurrentHashMap<>();
    private final ContextCarrier carrier;

    /** For adapters; applications ask {@link dev.resilience.Resilience#idempotency}. Calls from code have texts as their results. */
    public Idempotency(String name, IdempotencyPolicy policy, IdempotencyStore store, Environment environment) {
        this(name, policy, store, environment, SimpleExecution::new, CallFromCode::ofTexts);
    }

    /**
     * For adapters.
     *
     * @param results how calls from code are protected whose results are of a type; asked for each type once
     * @param executions makes what stores the answers of calls, perhaps in transactions of theirs
     */
    public Idempotency(
            String name,
            IdempotencyPolicy policy,
            IdempotencyStore store,
            Environment environment,
            IdempotentExecution.Factory executions,
            BiFunction<Idempotency, Type, Function<CallFromCode, Layer>> results) {
        this.results = results;
        this.carrier = environment.carrier();
        this.executions = executions;
        this.name = name;
        this.policy = policy;
        this.store = store;
        this.time = environment.time();
        this.waits = environment.waits("resilience-idempotency-" + name + "-");
        this.reports = new IdempotencyReports(name, environment);
        this.exceptions = new ExceptionCodec(policy.replayExceptions(), reports);
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
        Require.unchanged("fingerprint", now.fingerprint(), changed.fingerprint());
        Require.unchanged("replay-exceptions", now.replayExceptions(), changed.replayExceptions());
        Require.unchanged("scope", now.scope(), changed.scope());
        Require.unchanged("transactional", now.transactional(), changed.transactional());
        policy = changed;
    }

    /** Calls by how they ended. */
    public OutcomeCounters<IdempotencyOutcome> calls() {
        return reports.calls();
    }

    /** As {@link #call(String, Type, Object, ThrowingSupplier)}, for a result of a class and without a fingerprint. */
    public <T extends @Nullable Object, X extends Throwable> T call(
            String key, Class<? extends T> type, ThrowingSupplier<T, X> body) throws X {
        return call(key, type, null, body);
    }

    /**
     * Runs the body if no call with the key has ended well, and otherwise returns the result of that one. All calls from code by
     * this policy share its keys; those of annotated methods are apart.
     *
     * @param key of 1 to 255 characters
     * @param type of the result, which all calls with the key must have in common: a class, the type of a Spring {@code
     *     ParameterizedTypeReference} such as that of {@code List<Receipt>}, or {@code Void.class} for none. A primitive type
     *     stands for its class
     * @param fingerprint what else must be equal in all calls with the key; {@code null} where nothing is compared, as where
     *     {@code fingerprint} of the policy is false
     * @throws X what the body threw, which frees the key; beside it the exceptions of {@code dev.resilience.exception} that are
     *     called {@code Idempotency…}
     * @throws IllegalArgumentException if results of the type cannot be stored. Without Spring only texts can
     */
    public <T extends @Nullable Object, X extends Throwable> T call(
            String key, Type type, @Nullable Object fingerprint, ThrowingSupplier<T, X> body) throws X {
        return once(key, type, fingerprint).call(body);
    }

    /** As {@link #run(String, Object, ThrowingRunnable)}, without a fingerprint. */
    public <X extends Throwable> void run(String key, ThrowingRunnable<X> body) throws X {
        run(key, null, body);
    }

    /** As {@link #call(String, Type, Object, ThrowingSupplier)}, for a body without a result. */
    public <X extends Throwable> void run(String key, @Nullable Object fingerprint, ThrowingRunnable<X> body) throws X {
        once(key, Void.class, fingerprint).run(body);
    }

    /** As {@link #callAsync(String, Type, Object, Supplier)}, for a result of a class and without a fingerprint. */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            String key, Class<? extends T> type, Supplier<? extends CompletionStage<T>> body) {
        return callAsync(key, type, null, body);
    }

    /**
     * As {@link #call(String, Type, Object, ThrowingSupplier)}, for a body that returns the stage of its result. What that throws
     * is the failure of the future. Once the body has begun, cancelling the future does not end it, and its result is stored.
     *
     * @throws IllegalArgumentException at once, if results of the type cannot be stored
     */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            String key, Type type, @Nullable Object fingerprint, Supplier<? extends CompletionStage<T>> body) {
        return once(key, type, fingerprint).callAsync(body);
    }

    private Pipeline once(@Nullable String key, Type type, @Nullable Object given) {
        Type boxed = type instanceof Class<?> result
                ? MethodType.methodType(result).wrap().returnType()
                : type;
        Layer layer = fromCode.computeIfAbsent(boxed, unknown -> results.apply(this, unknown))
                .apply(new CallFromCode(key, Arrays.asList(boxed.getTypeName(), policy.fingerprint() ? given : null)));
        return Pipeline.of(List.of(layer), carrier);
    }

    /** The layer that protects one method. */
    public Layer protecting(IdempotentOperation operation) {
        if (operations.add(operation.name()) && store instanceof MemoryIdempotencyStore memory) {
            memory.keepShare(operation.name(), name);
        }
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
        reports.close();
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
}
