package dev.resilience.exception;

import dev.resilience.fault.Fault;
import org.jspecify.annotations.Nullable;

/** The idempotency store does not answer or is full, or what it holds, or is to hold, cannot be read or written. */
public final class IdempotencyStoreException extends ResilienceException {

    public IdempotencyStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    private IdempotencyStoreException(String message, Throwable cause, Fault faultOfAttempt) {
        super(message, cause, faultOfAttempt);
    }

    /**
     * The store failed in the transaction of an attempt, which is rolled back: another attempt may do better, as the cause
     * tells, such as a transaction that could not be serialised.
     */
    public static IdempotencyStoreException ofAttempt(String message, Throwable cause) {
        return new IdempotencyStoreException(message, cause, Fault.UNKNOWN);
    }
}
