package dev.resilience.exception;

import dev.resilience.fault.TimeoutFault;
import org.jspecify.annotations.Nullable;

/**
 * A call took longer than its time limit. Its cause is what the call threw when it was interrupted, if that is known.
 * Counts as transient, even where the cause alone would not.
 */
public final class TimeLimitExceededException extends ResilienceException implements TimeoutFault {

    private final String name;
    private final boolean byDeadline;

    /** The call took longer than its policy allows. */
    public TimeLimitExceededException(String name, String reason, @Nullable Throwable cause) {
        this(name, reason, cause, false);
    }

    /**
     * The call took longer than it was allowed.
     *
     * @param byDeadline whether the caller's deadline allowed less than the policy
     */
    public TimeLimitExceededException(String name, String reason, @Nullable Throwable cause, boolean byDeadline) {
        super("Time limit '" + name + "' exceeded: " + reason, cause);
        this.name = name;
        this.byDeadline = byDeadline;
    }

    /** The name of the time limit. */
    public String name() {
        return name;
    }

    /** Whether the caller's deadline allowed less time than the policy: then this says nothing about the callee. */
    public boolean isByDeadline() {
        return byDeadline;
    }
}
