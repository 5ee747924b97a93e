package dev.resilience.exception;

import dev.resilience.fault.TransientFault;
import org.jspecify.annotations.Nullable;

/**
 * A call took longer than its time limit. Its cause is what the call threw when it was interrupted, if that is known.
 * Counts as transient, even where the cause alone would not.
 */
public final class TimeLimitExceededException extends ResilienceException implements TransientFault {

    private final String name;
    private final boolean aboutCallee;

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
        this.aboutCallee = !byDeadline;
    }

    /** The call was not begun, because it waited for a thread all the time: this says as little about the callee. */
    public static TimeLimitExceededException notBegun(String name, String reason) {
        return new TimeLimitExceededException(name, reason, null, true);
    }

    /** The name of the time limit. */
    public String name() {
        return name;
    }

    /**
     * Whether this tells that the callee is slow. It does not where the caller's deadline allowed less time than the policy,
     * nor where no thread was free for the call: a circuit breaker counts it as ignored then.
     */
    public boolean isAboutCallee() {
        return aboutCallee;
    }
}
