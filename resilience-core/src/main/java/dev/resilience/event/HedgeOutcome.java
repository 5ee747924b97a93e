package dev.resilience.event;

/** How a call ended for its hedge. An answer is a result. */
public enum HedgeOutcome implements Outcome {
    /** The first attempt ended, in whatever way, or its caller gave up, before a second one was due. */
    FIRST,
    /** A second attempt was made, and the first one answered. */
    FIRST_WON,
    /** A second attempt was made and answered. */
    SECOND_WON,
    /** A second attempt was made, and neither answered: both failed, or the caller gave up. */
    UNANSWERED,
    /** A second attempt was due, and no budget was left for it. */
    BUDGET_EXHAUSTED
}
