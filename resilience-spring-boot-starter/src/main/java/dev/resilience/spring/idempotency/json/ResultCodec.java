package dev.resilience.spring.idempotency.json;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** How the results of one method become bytes and results again. */
public interface ResultCodec {

    /** Whether a result is kept, or its key free again for the next try. */
    default boolean keeps(@Nullable Object result) {
        return true;
    }

    /** A call begins, on its caller's thread: how its result is written and read. */
    default ResultCodec ofCall(Invocation call) {
        return this;
    }

    byte[] write(@Nullable Object result);

    @Nullable
    Object read(byte[] content);
}
