package dev.resilience.deadletter;

/** Makes the call of a letter again, and returns when it has ended. Safe for use by many threads. */
@FunctionalInterface
public interface LetterReplayer {

    /**
     * Makes the call.
     *
     * @throws UnreadableLetterException if there is no such method any more, or if it does not take the arguments
     * @throws Throwable what the method throws
     */
    void replay(DeadLetter letter) throws Throwable;
}
