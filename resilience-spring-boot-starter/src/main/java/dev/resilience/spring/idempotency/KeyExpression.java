package dev.resilience.spring.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.kind.CallKey;
import org.jspecify.annotations.Nullable;

/**
 * Takes the idempotency key from the arguments; the text is the same in every process.
 *
 * @param required whether a call for which the expression gives {@code null} is refused
 */
record KeyExpression(CallKey key, boolean required) implements KeySource {

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
