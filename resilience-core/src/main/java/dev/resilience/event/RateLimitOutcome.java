package dev.resilience.event;

/** How a call was received by a rate limit. */
public enum RateLimitOutcome implements Outcome {
    /** It got a permit, at once or after a wait. */
    ACCEPTED,
    /** There was none in time, or it was interrupted or cancelled while it waited. */
    REJECTED
}
