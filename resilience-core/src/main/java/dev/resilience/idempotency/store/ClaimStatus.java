package dev.resilience.idempotency.store;

/** What has become of a record that a call has claimed. */
public enum ClaimStatus {

    /** It is still the call's, and no result is stored. */
    IN_PROGRESS,

    /** The call's result is stored. */
    COMPLETED,

    /** A transaction that has not ended has the record locked: its end decides. */
    LOCKED,

    /** The record is gone, or belongs to another call. */
    LOST
}
