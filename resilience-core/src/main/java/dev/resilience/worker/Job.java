package dev.resilience.worker;

/** What a worker runs: tells its caller itself how it ended, and can be interrupted. */
public interface Job extends Runnable {

    /**
     * Interrupts the body, from any thread: while it runs, or as it begins if that is yet to come. What the worker does
     * before and after is not touched.
     */
    void interrupt();
}
