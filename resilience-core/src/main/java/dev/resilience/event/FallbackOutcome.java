package dev.resilience.event;

/** How a fallback method did when it was asked. */
public enum FallbackOutcome implements Outcome {
    /** It answered. */
    SUCCESS,
    /** It failed too. */
    FAILURE
}
