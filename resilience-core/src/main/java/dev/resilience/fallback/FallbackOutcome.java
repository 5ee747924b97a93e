package dev.resilience.fallback;

import dev.resilience.event.Outcome;

/** How a fallback method did when it was asked. */
public enum FallbackOutcome implements Outcome {
    /** It answered. */
    SUCCESS,
    /** It failed too. */
    FAILURE
}
