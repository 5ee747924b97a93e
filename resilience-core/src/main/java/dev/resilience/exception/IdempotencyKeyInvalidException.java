package dev.resilience.exception;

/** The idempotency key is empty, longer than 255 characters or contains control characters. */
public final class IdempotencyKeyInvalidException extends ResilienceException {

    public IdempotencyKeyInvalidException(String message) {
        super(message);
    }
}
