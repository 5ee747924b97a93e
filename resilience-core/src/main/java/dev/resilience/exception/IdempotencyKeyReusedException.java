package dev.resilience.exception;

/** The idempotency key was used before, with other arguments. */
public final class IdempotencyKeyReusedException extends ResilienceException {

    public IdempotencyKeyReusedException(String message) {
        super(message);
    }
}
