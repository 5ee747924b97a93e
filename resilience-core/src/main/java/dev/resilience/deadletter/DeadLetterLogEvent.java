package dev.resilience.deadletter;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a policy's dead letters tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum DeadLetterLogEvent implements LogEvent {
    STORED(LogLine.warn("dead_letter_stored", "stored", "stored")),
    NOT_STORED(LogLine.warn("dead_letter_not_stored", "notStored", "not stored")),
    REPLAYED(LogLine.info("dead_letter_replayed", "replayed", "replayed")),
    REPLAY_FAILED(LogLine.warn("dead_letter_replay_failed", "replayFailed", "failed again")),
    GIVEN_UP(LogLine.warn("dead_letter_given_up", "givenUp", "given up")),
    NOT_MADE(LogLine.info("dead_letter_not_replayed", "notReplayed", "not replayed")),
    CLAIM_LOST(LogLine.warn("dead_letter_claim_lost", "claimLost", "replayed longer than their lease")),
    DISCARDED(LogLine.info("dead_letter_discarded", "discarded", "discarded")),
    STORE_FAILED(LogLine.warn("dead_letter_store_failed", "storeFailed", "failures of the store"));

    private final LogLine line;

    DeadLetterLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
