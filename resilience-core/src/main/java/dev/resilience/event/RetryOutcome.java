package dev.resilience.event;

/** How a call ended as a retry policy sees it. */
public enum RetryOutcome implements Outcome {
    /** The first attempt succeeded. */
    SUCCESS,
    /** A later attempt succeeded. */
    SUCCESS_AFTER_RETRY,
    /** All attempts that the policy allows were made. */
    EXHAUSTED,
    /** The failure is not one that a retry can mend. */
    NOT_RETRYABLE,
    /** The retry budget had nothing left. */
    BUDGET_EXHAUSTED,
    /** The next attempt would have come too late. */
    OUT_OF_TIME,
    /** The caller was interrupted or cancelled the call. */
    INTERRUPTED
}
