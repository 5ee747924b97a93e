package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.fingerprint.ArgumentBytes;
import dev.resilience.spring.idempotency.fingerprint.NotComparableException;
import dev.resilience.spring.idempotency.http.request.KeySource;
import dev.resilience.spring.idempotency.json.ResultCodec;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of one idempotent method need, resolved once.
 *
 * @param compared which arguments are compared with those of an earlier call
 * @param finality whether a result is a call's last word
 * @param replay asked when a call begins for what is done before an earlier call's answer is given
 */
record IdempotentMethod(
        String name,
        KeySource keySource,
        CallerScope scope,
        BitSet compared,
        ResultCodec results,
        Predicate<@Nullable Object> finality,
        Function<Invocation, Runnable> replay)
        implements IdempotentOperation, AssembledCalls {

    /** For methods whose callers are not kept apart. */
    static final CallerScope NO_CALLERS = () -> "";

    @Override
    public @Nullable String key(Invocation invocation) {
        MovedCall call = invocation instanceof MovedCall moved ? moved : null;
        CallIdentity identity = call == null ? null : call.identity();
        if (identity != null) {
            return identity.key();
        }
        String key = keySource.key(invocation);
        if (key == null && call != null && call.isMoved()) {
            throw movedTooEarly(); // the caller's request may well have one
        }
        return key;
    }

    @Override
    public @Nullable Object seenAtAssembly() {
        return keySource.seenAtAssembly();
    }

    @Override
    public String callerScope(Invocation invocation) {
        if (scope == NO_CALLERS || !(invocation instanceof MovedCall call)) {
            return callerScope();
        }
        CallIdentity identity = call.identity();
        if (identity == null && call.isMoved()) {
            throw movedTooEarly();
        }
        return identity == null ? callerScope() : identity.caller();
    }

    private IllegalStateException movedTooEarly() {
        return new IllegalStateException("The @Idempotent method " + name + " runs on an executor's thread by @Async, "
                + "which was put around its proxy too late for the caller and its key to be known. One caller "
                + "could get another's result, so the call was not made. Let @Async be there when the bean is made.");
    }

    /** A scope that does not know the caller may well say so by {@code null}. */
    @Override
    public String callerScope() {
        return Objects.requireNonNullElse(scope.caller(), "");
    }

    @Override
    public byte[] describe(@Nullable Object[] all) {
        try {
            return ArgumentBytes.of(
                    compared.cardinality() == all.length
                            ? all
                            : compared.stream().mapToObj(i -> all[i]).toArray());
        } catch (RuntimeException incomparable) {
            String why = incomparable instanceof NotComparableException ? ": " + incomparable.getMessage() : "";
            throw new IllegalStateException(
                    "The arguments of the @Idempotent method " + name
                            + " cannot be compared with those of other calls, "
                            + "so the call was not made" + why + ". Move what cannot be compared out of the method, or "
                            + "choose a policy with 'fingerprint: false'.",
                    incomparable);
        }
    }

    @Override
    public boolean isFinal(@Nullable Object result) {
        return finality.test(result);
    }

    @Override
    public boolean keeps(@Nullable Object result) {
        return results.keeps(result);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return results.write(result);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        return results.read(content);
    }

    @Override
    public IdempotentOperation ofCall(Invocation invocation) {
        ResultCodec ofCall = results.ofCall(invocation);
        return ofCall == results
                ? this
                : new IdempotentMethod(name, keySource, scope, compared, ofCall, finality, replay);
    }

    @Override
    public Runnable onReplay(Invocation invocation) {
        return replay.apply(invocation);
    }
}
