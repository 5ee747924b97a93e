package dev.resilience.event;

/** How a call ended as an idempotency policy sees it; each counts exactly one, but a call that is refused for its key none. */
public enum IdempotencyOutcome implements Outcome {
    /** It ran, and its result is stored. */
    EXECUTED,
    /** It got an earlier call's result. */
    REPLAYED,
    /** Another call with the same key was running. */
    IN_PROGRESS,
    /** The key belongs to a call with other arguments. */
    KEY_REUSED,
    /** It ran in place of an owner that died, and its result is stored. */
    TAKEN_OVER,
    /** It ran for so long that another call took its key over. */
    LEASE_LOST,
    /** It failed, or its result is too large to be kept; the key is free again. */
    RELEASED,
    /**
     * An earlier owner died and the policy forbids to run again, or it is not known whether the call's transaction was
     * committed.
     */
    OUTCOME_UNKNOWN,
    /** The store did not answer, or what it holds cannot be read or written. */
    STORE_FAILURE,
    /** It has no key, needs none, and ran unprotected. */
    NO_KEY
}
