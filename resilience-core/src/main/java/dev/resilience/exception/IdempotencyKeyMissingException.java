package dev.resilience.exception;

/** The call carries no idempotency key, and the method needs one. */
public final class IdempotencyKeyMissingException extends ResilienceException {

    public IdempotencyKeyMissingException(String message) {
        super(message);
    }
}
