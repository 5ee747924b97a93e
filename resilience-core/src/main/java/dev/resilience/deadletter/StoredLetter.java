package dev.resilience.deadletter;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A letter as an operator finds it. Times are those of the store's clock.
 *
 * @param storedAt when it was stored
 * @param replays how often it was replayed, a replay under way included
 * @param dueAt when an automatic replay may take it; {@code null} if none will. For a letter that is being replayed, when
 *     its lease ends
 */
public record StoredLetter(
        DeadLetter letter,
        Instant storedAt,
        State state,
        int replays,
        @Nullable Instant dueAt) {

    /** Where a letter stands. A letter that was replayed with success is gone. */
    public enum State {
        /** It waits, and was not replayed yet. */
        WAITING,
        /** It is being replayed: its lease lasts. */
        REPLAYING,
        /** It is being replayed, and the lease has run out: its process died, or hangs. The method may have been called. */
        ABANDONED,
        /** It waits, and was replayed before. */
        FAILED,
        /** Its replays failed, and no automatic replay takes it again. */
        GIVEN_UP;

        /**
         * The state of a letter of which a store knows that it waits, is being replayed, or is given up.
         *
         * @param stored {@link #WAITING}, {@link #REPLAYING} or {@link #GIVEN_UP}
         * @param replays how often it was replayed
         * @param leaseLasts whether the lease lasts of one that is being replayed
         */
        public static State of(State stored, int replays, boolean leaseLasts) {
            if (stored == REPLAYING) {
                return leaseLasts ? REPLAYING : ABANDONED;
            }
            return stored == WAITING && replays > 0 ? FAILED : stored;
        }
    }
}
