package dev.resilience.exception;

import dev.resilience.fault.Fault;
import java.time.Duration;

/** A call with the same idempotency key is running, or how an earlier attempt of this one ended is not known yet. */
public final class IdempotencyInProgressException extends ResilienceException {

    private final Duration retryAfter;

    public IdempotencyInProgressException(String message, Duration retryAfter) {
        this(message, retryAfter, Fault.PERMANENT);
    }

    private IdempotencyInProgressException(String message, Duration retryAfter, Fault faultOfAttempt) {
        super(message, null, faultOfAttempt);
        this.retryAfter = retryAfter;
    }

    /** An earlier attempt of the same call has a transaction whose end is not known yet: a later attempt may know it. */
    public static IdempotencyInProgressException ofEarlierAttempt(String message, Duration retryAfter) {
        return new IdempotencyInProgressException(message, retryAfter, Fault.TRANSIENT);
    }

    /** What is left of the running call's lease, always above zero. */
    @Override
    public Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public boolean isPostponed() {
        return true;
    }
}
