package dev.resilience.spring.idempotency;

import dev.resilience.pipeline.Invocation;

/** Where the idempotency key of a call comes from. */
interface KeySource {

    /**
     * The key of a call.
     *
     * @throws dev.resilience.exception.IdempotencyKeyMissingException if it has none
     */
    String key(Invocation invocation);
}
