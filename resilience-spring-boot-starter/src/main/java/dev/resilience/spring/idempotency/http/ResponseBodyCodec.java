package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.json.ResultCodec;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Answers of a controller that are a body alone. Their status is that of a problem, or that of the method. */
public final class ResponseBodyCodec implements ResultCodec {

    private final ResultCodec bodies;
    private final AnswerStatus status;

    public ResponseBodyCodec(ResultCodec bodies, Method method, Class<?> type) {
        this.bodies = bodies;
        this.status = AnswerStatus.of(method, type);
    }

    @Override
    public boolean keeps(@Nullable Object result) {
        return status.isKept(result);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return bodies.write(result);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        return bodies.read(content);
    }
}
