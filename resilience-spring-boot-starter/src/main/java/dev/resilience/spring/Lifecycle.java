package dev.resilience.spring;

/**
 * What the live objects of one kind do when the application stops, starts again and ends. Most do nothing: the waits of
 * a policy that has its time from the library end without them.
 *
 * @param <L> the live object
 */
public interface Lifecycle<L> {

    /** Ends every wait of a call, and lets none begin. Returns without waiting. */
    default void stopWaits(L live) {}

    /** Lets calls wait again. */
    default void resumeWaits(L live) {}

    /** Whether calls run on threads of the live object. */
    default boolean isAtWork(L live) {
        return false;
    }

    /** Interrupts the calls that run on threads of the live object. */
    default void stopRunning(L live) {}

    /** With the application. What is still called works as before. */
    default void close(L live) {}

    /** Takes the state back to what it was before the first call: for tests that share an application. */
    default void reset(L live) {}
}
