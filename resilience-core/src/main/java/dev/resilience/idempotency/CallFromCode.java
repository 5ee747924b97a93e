package dev.resilience.idempotency;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call whose key is given by the code that makes it. For adapters.
 *
 * @param key {@code null} is refused
 * @param compared with that of an earlier call with the key: the name of the result's type, and a fingerprint or {@code null}
 */
public record CallFromCode(@Nullable String key, List<@Nullable Object> compared) {

    static Function<CallFromCode, Layer> ofTexts(Idempotency idempotency, Type type) {
        if (type != String.class && type != Void.class) {
            throw new IllegalArgumentException("Results of " + type.getTypeName() + " cannot be stored without Spring; "
                    + "make a layer for them, by Idempotency.protecting(operation)");
        }
        return call -> idempotency.protecting(new OfTexts(idempotency.name(), "", true, call));
    }

    /** Without Spring: a call whose result is a text, or that has none. */
    private record OfTexts(String name, String callerScope, boolean isFromCode, CallFromCode call)
            implements IdempotentOperation {

        @Override
        public @Nullable String key(Invocation invocation) {
            return call.key;
        }

        @Override
        public byte[] describe(@Nullable Object[] arguments) {
            return Arrays.deepToString(call.compared.toArray()).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] write(@Nullable Object result) {
            return result == null ? new byte[0] : ("+" + (String) result).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public @Nullable Object read(byte[] content) {
            return content.length == 0 ? null : new String(content, 1, content.length - 1, StandardCharsets.UTF_8);
        }
    }
}
