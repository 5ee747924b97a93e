package dev.resilience.spring.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.kind.CallKey;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Takes the idempotency key from the arguments; the text is the same in every process. */
record KeyExpression(CallKey key, boolean required) implements KeySource {

    /**
     * Parses and checks an expression.
     *
     * @param required whether a call for which the expression gives {@code null} is refused
     * @throws IllegalArgumentException if it does not parse or cannot give a key; the message says why
     */
    static KeyExpression parse(String text, Method method, boolean required) {
        return new KeyExpression(CallKey.parse(text, method), required);
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        @Nullable Object[] arguments = invocation.arguments();
        String text = key.of(arguments, why -> new IdempotencyKeyInvalidException("The idempotency key " + why));
        if (text == null && required) {
            throw new IdempotencyKeyMissingException("The call has no idempotency key: '" + key.expression() + "' is "
                    + (key.expression().value(arguments) == null ? "null" : "empty"));
        }
        return text;
    }
}
