package dev.resilience.exception;

/**
 * An earlier call with this key died; whether it had its effect is not known, and the policy forbids to run it again.
 */
public final class IdempotencyOutcomeUnknownException extends ResilienceException {

    public IdempotencyOutcomeUnknownException(String message) {
        super(message);
    }
}
