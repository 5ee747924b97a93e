package dev.resilience.deadletter;

import dev.resilience.context.Attempt;
import org.jspecify.annotations.Nullable;

/** Makes the call of a letter again, and returns when it has ended. Safe for use by many threads. */
@FunctionalInterface
public interface LetterReplayer {

    /**
     * Makes the call. An interrupt of this thread is there again when it has ended; one that the method throws is the
     * method's own.
     *
     * @param attempt current for the call, so that it tells afterwards how far the call has come
     * @throws UnreadableLetterException if there is no such method here, or if it does not take the arguments
     * @throws Throwable what the method throws
     */
    void replay(DeadLetter letter, Attempt attempt) throws Throwable;

    /** Why no call can be made of a letter, as far as that shows without its arguments; {@code null} if one can. */
    default @Nullable String whyNotReadable(DeadLetter letter) {
        return null;
    }
}
