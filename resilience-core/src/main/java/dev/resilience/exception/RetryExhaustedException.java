package dev.resilience.exception;

import dev.resilience.fault.TransientFault;

/**
 * The last result of a retried call still asks for another attempt, and none is made any more: attempts, time or the retry
 * budget have run out. Thrown in place of returning that result, where the policy says so. Counts as transient: another
 * call may get a better result.
 */
public final class RetryExhaustedException extends ResilienceException implements TransientFault {

    private final String name;
    private final int attempts;

    /**
     * @param attempts how many were made
     * @param reason why there are no more, as the end of a sentence; empty if there is none to tell
     */
    public RetryExhaustedException(String name, int attempts, String reason) {
        super("Retry '" + name + "': the result of attempt " + attempts + " asks for another one"
                + (reason.isEmpty() ? ", which is not made" : ", but " + reason));
        this.name = name;
        this.attempts = attempts;
    }

    /** The name of the retry. */
    public String name() {
        return name;
    }

    /** How many attempts were made. */
    public int attempts() {
        return attempts;
    }
}
