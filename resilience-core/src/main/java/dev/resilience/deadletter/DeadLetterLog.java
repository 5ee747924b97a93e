package dev.resilience.deadletter;

import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** What becomes of a policy's dead letters, logged without arguments. */
final class DeadLetterLog {

    private static final Logger log = LoggerFactory.getLogger(DeadLetters.class);
    private static final LogLine STORED = LogLine.warn("dead_letter_stored", "stored", "stored");
    private static final LogLine NOT_STORED = LogLine.warn("dead_letter_not_stored", "notStored", "not stored");
    private static final LogLine REPLAYED = LogLine.info("dead_letter_replayed", "replayed", "replayed");
    private static final LogLine REPLAY_FAILED =
            LogLine.warn("dead_letter_replay_failed", "replayFailed", "failed again");
    private static final LogLine GIVEN_UP = LogLine.warn("dead_letter_given_up", "givenUp", "given up");
    private static final LogLine NOT_MADE = LogLine.info("dead_letter_not_replayed", "notReplayed", "not replayed");
    private static final LogLine CLAIM_LOST =
            LogLine.warn("dead_letter_claim_lost", "claimLost", "replayed longer than their lease");
    private static final LogLine DISCARDED = LogLine.info("dead_letter_discarded", "discarded", "discarded");
    private static final LogLine STORE_FAILED =
            LogLine.warn("dead_letter_store_failed", "storeFailed", "failures of the store");
    private static final LogLine UNREADABLE = LogLine.warn("dead_letter_unreadable");
    private static final int MOST_REMEMBERED = 1_000;

    private final String policy;
    private final FoldedLog lines;
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

    DeadLetterLog(String policy, TimeSource time) {
        this.policy = policy;
        this.lines = new FoldedLog(
                log,
                time,
                "Dead letters of retry",
                policy,
                "dead_letter_summary",
                STORED,
                NOT_STORED,
                REPLAYED,
                REPLAY_FAILED,
                GIVEN_UP,
                NOT_MADE,
                CLAIM_LOST,
                DISCARDED,
                STORE_FAILED);
    }

    void stored(DeadLetter letter) {
        lines.write(
                STORED,
                null,
                line -> line.addKeyValue("id", letter.id())
                        .log("Retry '{}': a call of {} is kept for a later replay", policy, letter.operation()));
    }

    void notStored(Throwable failure) {
        lines.write(NOT_STORED, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(line).log("Retry '{}': a call that ran out of retries is lost, because {}", policy, failed);
        });
    }

    void replayed(ReplayClaim claim) {
        lines.write(REPLAYED, null, line -> of(claim, line).log("Retry '{}': {} was replayed", policy, claim.letter()));
    }

    /**
     * @param wait until automatic replays may take it; {@code null} if none does
     */
    void replayFailed(ReplayClaim claim, Throwable failure, @Nullable Duration wait) {
        LogLine event = wait == null ? GIVEN_UP : REPLAY_FAILED;
        lines.write(event, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(of(claim, line))
                    .log(
                            "Retry '{}': replay {} of {} failed with {}. {}",
                            policy,
                            claim.replays(),
                            claim.letter(),
                            failed,
                            whatNext(wait));
        });
    }

    /**
     * @param wait until automatic replays may take it; {@code null} if none does
     */
    void notMade(ReplayClaim claim, Throwable failure, @Nullable Duration wait) {
        lines.write(NOT_MADE, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(of(claim, line))
                    .log("Retry '{}': {} was not replayed: {}. {}", policy, claim.letter(), failed, whatNext(wait));
        });
    }

    /** The policy may have no automatic replays, which can change at any time. */
    private static String whatNext(@Nullable Duration wait) {
        return wait == null
                ? "It is kept, but no automatic replay takes it again"
                : "It is kept. Automatic replays leave it alone for " + Durations.inWords(wait);
    }

    void unreadable(DeadLetter letter, Throwable failure) {
        if (unreadable.size() < MOST_REMEMBERED && unreadable.add(letter.bean() + " " + letter.operation())) {
            UNREADABLE
                    .in(log, policy)
                    .addKeyValue("method", letter.operation())
                    .log(
                            "Retry '{}': dead letters of {} cannot be replayed here: {}. They are kept: deploy a version "
                                    + "that has the method, give each application a table of its own, or discard them. "
                                    + "Logged once for each method.",
                            policy,
                            letter.operation(),
                            failure.getMessage());
        }
    }

    void claimLost(ReplayClaim claim) {
        lines.write(
                CLAIM_LOST,
                null,
                line -> of(claim, line)
                        .log(
                                "Retry '{}': the replay of {} took longer than its lease, and another one has begun or ended it",
                                policy,
                                claim.letter()));
    }

    void discarded(String id) {
        lines.write(
                DISCARDED,
                null,
                line -> line.addKeyValue("id", id)
                        .log("Retry '{}': the dead letter {} was discarded by an operator", policy, id));
    }

    void storeFailed(String toDoWhat, RuntimeException failure) {
        lines.write(STORE_FAILED, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(line).log("Retry '{}': the store of dead letters failed to {}: {}", policy, toDoWhat, failed);
        });
    }

    private static LoggingEventBuilder of(ReplayClaim claim, LoggingEventBuilder line) {
        return line.addKeyValue("id", claim.letter().id()).addKeyValue("replay", claim.replays());
    }

    void close() {
        lines.close();
    }
}
