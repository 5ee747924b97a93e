package dev.resilience.exception;

import java.util.Objects;

/**
 * Says inside a pipeline that a method's body was cancelled, and has neither answered nor failed: it is not tried again,
 * not counted by a circuit breaker, and no fallback answers for it. Callers get the {@linkplain #cancellation()
 * cancellation} in its place.
 */
public final class BodyCancelledException extends ResilienceException {

    /** @param cancellation what the body ended with */
    public BodyCancelledException(Throwable cancellation) {
        super("The method was cancelled", cancellation);
    }

    /** What the body ended with. */
    public Throwable cancellation() {
        return Objects.requireNonNull(getCause());
    }
}
