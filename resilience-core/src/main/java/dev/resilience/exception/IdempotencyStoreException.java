package dev.resilience.exception;

import dev.resilience.fault.Fault;
import org.jspecify.annotations.Nullable;

/** The idempotency store does not answer or is full, or what it holds, or is to hold, cannot be read or written. */
public final class IdempotencyStoreException extends ResilienceException {

    private final boolean ofAttempt;

    public IdempotencyStoreException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private IdempotencyStoreException(String message, @Nullable Throwable cause, boolean ofAttempt) {
        super(message, cause);
        this.ofAttempt = ofAttempt;
    }

    /** The store failed in the transaction of an attempt, which is rolled back: another attempt may do better. */
    public static IdempotencyStoreException ofAttempt(String message, Throwable cause) {
        return new IdempotencyStoreException(message, cause, true);
    }

    /** That of its cause if it failed in the transaction of an attempt, such as one that could not be serialised. */
    @Override
    public Fault faultOfAttempt() {
        return ofAttempt ? Fault.UNKNOWN : Fault.PERMANENT;
    }
}
