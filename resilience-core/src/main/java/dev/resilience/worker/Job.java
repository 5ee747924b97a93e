package dev.resilience.worker;

/** What a worker runs: tells its caller itself how it ended, and can be interrupted. */
public interface Job extends Runnable {

    /** Interrupts the body while it runs, from any thread. What the worker does before and after is not touched. */
    void interrupt();
}
