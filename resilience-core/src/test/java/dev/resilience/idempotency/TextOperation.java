package dev.resilience.idempotency;

import dev.resilience.pipeline.Invocation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A method {@code String place(String key, String payload)}, and what a test can break about it. */
final class TextOperation implements IdempotentOperation {

    static final String NAME = "OrderService.place(String, String)";

    private final String name;
    private final String callerScope;
    private volatile boolean unreadable;
    private volatile @Nullable Throwable writeFailure;

    TextOperation(String name, String callerScope) {
        this.name = name;
        this.callerScope = callerScope;
    }

    /** From now on no stored result can be read. */
    void makeUnreadable() {
        unreadable = true;
    }

    /** From now on writing a result fails so. */
    void failToWrite(Throwable failure) {
        writeFailure = failure;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String key(Invocation invocation) {
        return (String) invocation.arguments()[0];
    }

    @Override
    public String callerScope() {
        return callerScope;
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return Arrays.toString(arguments).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        if (writeFailure instanceof Error error) {
            throw error;
        }
        if (writeFailure instanceof RuntimeException failure) {
            throw failure;
        }
        return (result == null ? "null" : "\"" + result).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        if (unreadable) {
            throw new IllegalStateException("the class has changed");
        }
        String text = new String(content, StandardCharsets.UTF_8);
        return text.equals("null") ? null : text.substring(1);
    }
}
