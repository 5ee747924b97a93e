package dev.resilience.exception;

import java.time.Duration;

/** A call with the same idempotency key is running. */
public final class IdempotencyInProgressException extends ResilienceException {

    private final Duration retryAfter;

    public IdempotencyInProgressException(String message, Duration retryAfter) {
        super(message);
        this.retryAfter = retryAfter;
    }

    /** What is left of the running call's lease, always above zero. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
