package dev.resilience.worker;

/** What a worker runs: tells its caller itself how it ended, and can be stopped. */
public interface Job extends Runnable {

    /**
     * Interrupts the body, from any thread: while it runs, or as it begins if that is yet to come. What it has made that
     * goes on without it is cancelled. What the worker does before and after is not touched.
     */
    void stop();

    /** Whether nothing of the job goes on; asked when it has run. */
    default boolean hasEnded() {
        return true;
    }
}
