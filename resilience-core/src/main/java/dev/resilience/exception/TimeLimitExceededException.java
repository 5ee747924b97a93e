package dev.resilience.exception;

import dev.resilience.fault.TimeoutFault;
import org.jspecify.annotations.Nullable;

/**
 * A call took longer than its time limit. Its cause is what the call threw when it was interrupted, if that is known.
 * Counts as transient, even where the cause alone would not.
 */
public final class TimeLimitExceededException extends ResilienceException implements TimeoutFault {

    private final String name;

    public TimeLimitExceededException(String name, String reason, @Nullable Throwable cause) {
        super("Time limit '" + name + "' exceeded: " + reason, cause);
        this.name = name;
    }

    /** The name of the time limit. */
    public String name() {
        return name;
    }
}
