package dev.resilience.event;

/** How a call ended as a circuit breaker sees it. */
public enum CircuitBreakerOutcome implements Outcome {
    /** It succeeded. */
    SUCCESS,
    /** It failed in a way that counts. */
    FAILURE,
    /** It failed in a way that says nothing about the callee, was cancelled by its caller, or answered too late. */
    IGNORED,
    /** It was not made. */
    REJECTED,
    /** It was made, because the policy's {@code enforce} let it through; how it ended is not counted. */
    WOULD_REJECT
}
