package dev.resilience.deadletter;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A letter as an operator finds it. Times are those of the store's clock.
 *
 * @param storedAt when it was stored
 * @param replays how often it was replayed, a replay under way included
 * @param replayFailure how the last replay failed that has ended; {@code null} if there was none, or if the last one was
 *     abandoned
 * @param dueAt when an automatic replay may take it; {@code null} if none will. For a letter that is being replayed, when
 *     its lease ends
 */
public record StoredLetter(
        DeadLetter letter,
        Instant storedAt,
        State state,
        int replays,
        @Nullable LetterFailure replayFailure,
        @Nullable Instant dueAt) {

    /** Where a letter stands. A letter that was replayed with success is gone. */
    public enum State {
        /** It was not replayed yet. */
        WAITING,
        /** It is being replayed: its lease lasts. */
        REPLAYING,
        /**
         * The last replay began and its lease has run out: its process died, or hangs. The method may have been called. It
         * stays so if the next replay is refused by a policy. An automatic replay takes it again, unless it was given up
         * before.
         */
        ABANDONED,
        /** The last replay failed. An automatic replay, if the policy has them, takes it again when it is due. */
        FAILED,
        /** The last replay failed, and no automatic replay takes it again. */
        GIVEN_UP
    }
}
