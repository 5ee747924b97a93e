package dev.resilience.spring.idempotency.simulation;

/** A problem that is made on purpose, to prove that the simulation would find it. */
enum PlantedDefect {
    NONE,
    /** A result is written without a look at owner and fence. */
    COMPLETE_IGNORES_THE_FENCE,
    /** A record is taken over when half of its lease is over. */
    TAKE_OVER_BEFORE_THE_LEASE_ENDS,
    /** A release removes the record of another owner as well. */
    RELEASE_IGNORES_THE_OWNER,
    /** A claim looks and then inserts, and does not see that another one was faster. */
    CLAIM_IS_NOT_ATOMIC,
    /** Fences come from the clocks of the applications. */
    FENCE_OF_THE_WALL_CLOCK,
    /** A take-over does not respect that a transaction has the record locked. */
    TAKE_OVER_IGNORES_LOCKS,
    /** Renewals go on by themselves, also when the call has ended. */
    RENEWALS_NEVER_STOP,
    /** The result is written beside the transaction, on a connection of its own. */
    RESULT_OUTSIDE_OF_THE_TRANSACTION,
    /** A COMMIT that fails is told as one that has succeeded. */
    LOST_COMMIT_TOLD_AS_COMMITTED,
    /** What is to be done before the commit is not done. */
    BEFORE_COMMIT_IS_LEFT_OUT,

    /** Answers come from a cache that is filled before the result is known to be written. */
    REPLAY_OF_WHAT_WAS_NEVER_COMMITTED,
    /** A claim that is lost is told as one whose result is stored. */
    LOST_CLAIM_TOLD_AS_COMPLETED
}
