package dev.resilience.event;

/** How a call was received by a bulkhead. */
public enum BulkheadOutcome implements Outcome {
    /** It got a place, at once or after a wait. */
    ACCEPTED,
    /** There was neither a place nor room to wait, or it was interrupted or cancelled while it waited. */
    REJECTED,
    /** It waited for as long as the policy allows. */
    TIMED_OUT,
    /** It ran without a place, because the policy's {@code enforce} let it through. */
    WOULD_REJECT
}
