package dev.resilience.exception;

import java.time.Duration;

/** A circuit breaker refused the call without trying it. */
public final class CircuitOpenException extends ResilienceException {

    private final String name;
    private final Duration retryAfter;

    public CircuitOpenException(String name, Duration retryAfter) {
        super("Circuit breaker '" + name + "' is open: the call was not made");
        this.name = name;
        this.retryAfter = retryAfter;
    }

    /** The name of the circuit breaker. */
    public String name() {
        return name;
    }

    /** How long to wait before the next try, always above zero: what is left of the open period where it is known. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
