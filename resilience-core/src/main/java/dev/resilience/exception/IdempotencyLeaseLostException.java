package dev.resilience.exception;

/** The call took longer than its lease and another call has taken the key over. */
public final class IdempotencyLeaseLostException extends ResilienceException {

    public IdempotencyLeaseLostException(String message) {
        super(message);
    }
}
