package dev.resilience.exception;

import java.time.Duration;

/** The call took longer than its lease and another call has taken the key over. */
public final class IdempotencyLeaseLostException extends ResilienceException {

    public IdempotencyLeaseLostException(String message) {
        super(message);
    }

    /** A second: the reason passes soon. */
    @Override
    public Duration retryAfter() {
        return Duration.ofSeconds(1);
    }
}
