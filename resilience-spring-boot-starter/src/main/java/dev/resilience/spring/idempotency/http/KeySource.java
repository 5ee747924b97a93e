package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;

/** Where the idempotency key of a call comes from. */
public interface KeySource {

    /**
     * The key of a call.
     *
     * @throws dev.resilience.exception.IdempotencyKeyMissingException if it has none
     */
    String key(Invocation invocation);
}
