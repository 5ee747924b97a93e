package dev.resilience.exception;

/** The idempotency key was used before, with other arguments or, by a call from code, for another type of result. */
public final class IdempotencyKeyReusedException extends ResilienceException {

    public IdempotencyKeyReusedException(String message) {
        super(message);
    }
}
