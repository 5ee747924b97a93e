package dev.resilience.exception;

import org.jspecify.annotations.Nullable;

/** The idempotency store does not answer, or what it holds cannot be read or written. */
public final class IdempotencyStoreException extends ResilienceException {

    public IdempotencyStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
