package dev.resilience.event;

/** How a call ended for its time limit. */
public enum TimeLimitOutcome implements Outcome {
    /** It ended before its time was over, in whatever way: with a result, a failure, or cancelled by its caller. */
    IN_TIME,
    /** Its time was over first, be it while it waited for a worker thread. */
    TIMED_OUT,
    /** Its time was over first, and it went on, because the policy's {@code enforce} let it. */
    WOULD_REJECT
}
