package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The idempotent method as one call sees it, which knows whether its answer was that of an earlier call. */
final class SimulatedOperation implements IdempotentOperation {

    private final boolean retried;
    private boolean replay;

    SimulatedOperation(boolean retried) {
        this.retried = retried;
    }

    static boolean asksForRetry(@Nullable Object result) {
        return result instanceof String text && text.contains(SimulatedBody.UNFINISHED);
    }

    boolean isReplay() {
        return replay;
    }

    @Override
    public String name() {
        return "Service.call(String)";
    }

    @Override
    public String key(Invocation invocation) {
        return (String) Objects.requireNonNull(invocation.arguments()[0]);
    }

    @Override
    public String callerScope() {
        return "";
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return bytes(arguments[0]);
    }

    @Override
    public boolean isFinal(@Nullable Object result) {
        return !retried || !asksForRetry(result);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return bytes(result);
    }

    @Override
    public Object read(byte[] content) {
        return text(content);
    }

    static String text(byte[] content) {
        return new String(content, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(@Nullable Object text) {
        return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Runnable onReplay(Invocation invocation) {
        return () -> replay = true;
    }
}
