package dev.resilience.event;

/** What became of a dead letter. */
public enum DeadLetterOutcome implements Outcome {
    /** A call ran out of retries, and is kept. */
    STORED,
    /** The call was made again and succeeded; its letter is gone. */
    REPLAYED,
    /** The call was made again and failed, or could not be made again; its letter is kept. */
    REPLAY_FAILED,
    /** An operator did away with it. */
    DISCARDED,
    /** A call ran out of retries and is not kept: it could not be written, or the store was full or down. */
    STORE_FAILURE
}
