package dev.resilience.spring.idempotency;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Results as they are. */
record JsonCodec(Json json, ResolvableType type) implements ResultCodec {

    @Override
    public byte[] write(@Nullable Object result) {
        return json.write(result, type);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        return json.read(content, type);
    }
}
