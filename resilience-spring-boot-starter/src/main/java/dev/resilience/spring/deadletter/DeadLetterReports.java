package dev.resilience.spring.deadletter;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Reports;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Counts what becomes of a policy's dead letters, and logs it without arguments. Safe for use by many threads. */
final class DeadLetterReports extends Reports<DeadLetterOutcome> {

    private static final LogLine STORED = LogLine.warn("dead_letter_stored", "stored");
    private static final LogLine NOT_STORED = LogLine.warn("dead_letter_not_stored", "store_failure");
    private static final LogLine REPLAYED = LogLine.info("dead_letter_replayed", "replayed");
    private static final LogLine REPLAY_FAILED = LogLine.warn("dead_letter_replay_failed", "replay_failed");
    private static final LogLine STORE_FAILED = LogLine.warn("dead_letter_store_failed");

    DeadLetterReports(String policy, Environment environment) {
        super(
                DeadLetters.class,
                "Dead letters of retry",
                "dead_letter_summary",
                policy,
                environment,
                new OutcomeCounters<>(DeadLetterOutcome.class));
    }

    void stored(DeadLetter letter) {
        calls.count(DeadLetterOutcome.STORED);
        log.write(
                STORED,
                line -> line.addKeyValue("id", letter.id())
                        .log("Retry '{}': a call of {} is kept for a later replay", name, letter.operation()));
    }

    void notStored(Throwable failure) {
        calls.count(DeadLetterOutcome.STORE_FAILURE);
        log.write(
                NOT_STORED,
                failure,
                (line, failed) ->
                        line.log("Retry '{}': a call that ran out of retries is lost, because {}", name, failed));
    }

    void replayed(ReplayClaim claim) {
        calls.count(DeadLetterOutcome.REPLAYED);
        log.write(
                REPLAYED,
                line -> line.addKeyValue("id", claim.letter().id())
                        .addKeyValue("replay", claim.replays())
                        .log("Retry '{}': {} was replayed", name, claim.letter()));
    }

    /**
     * A replay failed, or was not made. The policy may have no automatic replays, which can change at any time.
     *
     * @param wait until automatic replays may take it; {@code null} if none does
     */
    void replayFailed(ReplayClaim claim, Replayed.Result result, Throwable failure, @Nullable Duration wait) {
        if (result != Replayed.Result.NOT_MADE || failure instanceof DeadLetters.UnreadableLetterException) {
            calls.count(DeadLetterOutcome.REPLAY_FAILED);
        }
        String which = "replay " + claim.replays() + " of " + claim.letter()
                + (result == Replayed.Result.NOT_MADE ? " was not made, because of" : " failed with");
        String then = wait == null
                ? "It is kept, but no automatic replay takes it again"
                : "It is kept. Automatic replays leave it alone for " + Durations.inWords(wait);
        log.write(
                REPLAY_FAILED,
                failure,
                (line, failed) -> line.addKeyValue("id", claim.letter().id())
                        .addKeyValue("replay", claim.replays())
                        .addKeyValue("result", KebabCase.of(result.name()))
                        .log("Retry '{}': {} {}. {}", name, which, failed, then));
    }

    void storeFailed(String toDoWhat, RuntimeException failure) {
        log.write(
                STORE_FAILED,
                failure,
                (line, failed) ->
                        line.log("Retry '{}': the store of dead letters failed to {}: {}", name, toDoWhat, failed));
    }
}
