package dev.resilience.deadletter;

import org.jspecify.annotations.Nullable;

/**
 * How a replay ended.
 *
 * @param failure why it failed or was not made; {@code null} if it succeeded
 */
public record Replayed(String id, Result result, @Nullable Throwable failure) {

    /** How it ended, in a word. */
    public enum Result {
        /** The letter is gone. */
        SUCCEEDED,
        /** The letter is kept. Automatic replays leave it alone for a while. */
        FAILED,
        /** The letter is kept, and no automatic replay takes it again. */
        GIVEN_UP,
        /**
         * A policy refused the call before it was made, or the letter cannot be read here: it is kept, and this replay does
         * not count.
         */
        NOT_MADE
    }
}
