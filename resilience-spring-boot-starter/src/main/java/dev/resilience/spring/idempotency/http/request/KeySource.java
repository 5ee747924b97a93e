package dev.resilience.spring.idempotency.http.request;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** Where the idempotency key of a call comes from. */
public interface KeySource {

    /**
     * The key of a call; {@code null} if it has none and needs none.
     *
     * @throws dev.resilience.exception.IdempotencyKeyMissingException if it has none and needs one
     */
    @Nullable
    String key(Invocation invocation);

    /** Asked where a publisher is assembled; its subscription may come on a thread that knows less. */
    default @Nullable Object seenAtAssembly() {
        return null;
    }
}
