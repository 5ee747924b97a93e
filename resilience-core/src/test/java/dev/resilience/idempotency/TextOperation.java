package dev.resilience.idempotency;

import dev.resilience.pipeline.Invocation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A method {@code String place(String key, String payload)}, and what a test can break about it. */
class TextOperation implements IdempotentOperation {

    static final String NAME = "OrderService.place(String, String)";

    private final String name;
    private final String callerScope;
    private volatile @Nullable Throwable readFailure;
    private volatile @Nullable Throwable writeFailure;

    TextOperation(String name, String callerScope) {
        this.name = name;
        this.callerScope = callerScope;
    }

    /** From now on no stored result can be read. */
    void makeUnreadable() {
        failToRead(new IllegalStateException("the class has changed"));
    }

    /** From now on reading a result fails so. */
    void failToRead(Throwable failure) {
        readFailure = failure;
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
    public @Nullable String key(Invocation invocation) {
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
        failWith(writeFailure);
        return (result == null ? "null" : "\"" + result).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        failWith(readFailure);
        String text = new String(content, StandardCharsets.UTF_8);
        return text.equals("null") ? null : text.substring(1);
    }

    private static void failWith(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
