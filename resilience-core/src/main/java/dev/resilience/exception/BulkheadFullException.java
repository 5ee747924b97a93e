package dev.resilience.exception;

import java.time.Duration;

/** A bulkhead had no place for the call, or the call waited for one too long or was interrupted meanwhile. */
public final class BulkheadFullException extends ResilienceException {

    private final String name;

    public BulkheadFullException(String name, String reason) {
        super("Bulkhead '" + name + "' refused the call: " + reason);
        this.name = name;
    }

    /** The name of the bulkhead. */
    public String name() {
        return name;
    }

    /** A second: the reason passes soon. */
    @Override
    public Duration retryAfter() {
        return Duration.ofSeconds(1);
    }
}
