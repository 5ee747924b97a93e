package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent layer of one method: what its calls need, resolved once.
 *
 * @param compared what is compared with an earlier call
 * @param finality whether a result is a call's last word
 * @param replays is called where the method does not run, because it has run before
 */
public record IdempotentMethod(
        Idempotency idempotency,
        String name,
        KeySource keySource,
        CallerScope scope,
        Function<@Nullable Object[], byte[]> compared,
        ResultCodec results,
        Predicate<@Nullable Object> finality,
        Consumer<Invocation> replays,
        boolean isFromCode)
        implements IdempotentOperation, Layer {

    /** For methods whose callers are not kept apart. */
    static final CallerScope NO_CALLERS = () -> "";

    @Override
    public Step around(Step next) {
        return idempotency.protecting(this).around(next);
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        return keySource.key(invocation);
    }

    /** The header with the key where a publisher is assembled, for its subscriptions, which may come on other threads. */
    public @Nullable Object headersAtAssembly() {
        return keySource.headersAtAssembly();
    }

    /** A scope that does not know the caller may well say so by {@code null}. */
    @Override
    public String callerScope() {
        return Objects.requireNonNullElse(scope.caller(), "");
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return compared.apply(arguments);
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
                : new IdempotentMethod(
                        idempotency, name, keySource, scope, compared, ofCall, finality, replays, isFromCode);
    }

    @Override
    public Runnable onReplay(Invocation invocation) {
        return () -> {
            results.onReplay();
            replays.accept(invocation);
        };
    }
}
