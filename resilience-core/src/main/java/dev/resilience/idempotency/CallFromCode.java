package dev.resilience.idempotency;

import dev.resilience.pipeline.Invocation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A call whose key is given by the code that makes it. Its arguments are the key and what is compared. */
final class CallFromCode implements Invocation {

    private final @Nullable Object[] arguments;
    private final boolean isBlocking;
    private final Invocation body;
    private IdempotentExecution.@Nullable Runner runner;

    CallFromCode(@Nullable String key, @Nullable Object fingerprint, boolean isBlocking, Invocation body) {
        this.arguments = new @Nullable Object[] {key, fingerprint};
        this.isBlocking = isBlocking;
        this.body = body;
    }

    @Override
    public @Nullable Object proceed() throws Throwable {
        return runner == null ? body.proceed() : runner.run(body);
    }

    @Override
    public void attach(Object forTheBody) {
        if (isBlocking && forTheBody instanceof IdempotentExecution.Runner attached) {
            runner = attached;
        }
    }

    @Override
    public @Nullable Object[] arguments() {
        return arguments;
    }

    static IdempotentOperation ofTexts(Idempotency idempotency, Type type) {
        if (type != String.class && type != Void.class) {
            throw new IllegalArgumentException(
                    "Results of " + type.getTypeName() + " cannot be stored without Spring; make a "
                            + "layer for them, by Idempotency.protecting(operation)");
        }
        return new OfTexts(idempotency.name());
    }

    /** Calls from code whose results are texts, or that have none. */
    private record OfTexts(String name) implements IdempotentOperation {

        @Override
        public String key(Invocation invocation) {
            return IdempotentOperation.keyOfCode(invocation, name);
        }

        @Override
        public String callerScope() {
            return "";
        }

        @Override
        public byte[] describe(@Nullable Object[] arguments) {
            return String.valueOf(arguments[1]).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] write(@Nullable Object result) {
            return result == null ? new byte[0] : ("+" + result).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public @Nullable Object read(byte[] content) {
            return content.length == 0 ? null : new String(content, 1, content.length - 1, StandardCharsets.UTF_8);
        }
    }
}
