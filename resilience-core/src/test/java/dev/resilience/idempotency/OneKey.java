package dev.resilience.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** An operation of which every call has the same key, and whose results are texts. */
public final class OneKey implements IdempotentOperation {

    @Override
    public String name() {
        return "Orders.place";
    }

    @Override
    public String key(Invocation invocation) {
        return "key";
    }

    @Override
    public String callerScope() {
        return "";
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return new byte[0];
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return String.valueOf(result).getBytes(UTF_8);
    }

    @Override
    public Object read(byte[] content) {
        return new String(content, UTF_8);
    }
}
