package dev.resilience.worker;

import java.util.concurrent.Executor;

/** What a worker runs: tells its caller itself how it ended, and can be stopped. */
public interface StoppableTask extends Runnable {

    /**
     * Interrupts the body, from any thread: while it runs, or as it begins if that is yet to come. What it has made that
     * goes on without it is cancelled. What the worker does before and after is not touched.
     */
    void stop();

    /**
     * As {@link #stop()}.
     *
     * @param elsewhere runs what the application does when its stages are cancelled, which may take long
     */
    default void stop(Executor elsewhere) {
        stop();
    }

    /** Whether nothing of the job goes on; asked when it has run. */
    default boolean hasEnded() {
        return true;
    }
}
