package dev.resilience.retry;

import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;

/**
 * The attempts after the first ones of a retry policy's calls: the waits before them, the threads on which those of
 * asynchronous calls run, and how both are ended with the application. Safe for use by many threads.
 */
public final class LaterAttempts {

    private final PolicyTimeSource time;

    LaterAttempts(String policy, TimeSource time) {
        this.time = PolicyTimeSource.of("resilience-retry-" + policy + "-", time);
    }

    /**
     * Ends the waits of all calls, blocking and asynchronous ones, and lets none begin until {@link #resume()}: each caller
     * gets the failure in hand. Attempts that run are left alone. Returns without waiting.
     */
    public void stopWaits() {
        time.stop();
    }

    /** Lets calls wait again. */
    public void resume() {
        time.resume();
    }

    /** Whether later attempts of asynchronous calls run, be it without a thread. */
    public boolean anyRun() {
        return time.bodies().any();
    }

    /** Interrupts the later attempts of asynchronous calls, and cancels the stages that they have returned. */
    public void stopRunning() {
        time.stopRunning();
    }

    /** Threads that are busy with later attempts of asynchronous calls. */
    public int workers() {
        return time.busyThreads();
    }

    /** Asynchronous calls whose wait is over, and which now wait for a thread. */
    public int queued() {
        return time.queued();
    }

    void close() {
        time.close();
    }

    PolicyTimeSource time() {
        return time;
    }
}
