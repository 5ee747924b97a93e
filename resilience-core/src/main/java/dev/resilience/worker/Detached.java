package dev.resilience.worker;

import dev.resilience.time.TimeSource;
import java.time.Duration;

/** What ends with a call and may take long: what the application does when a future ends. */
public final class Detached {

    private Detached() {}

    /**
     * Runs an action on a thread that has nothing else to do, or on this one if the system has no thread left.
     *
     * @param time has the threads
     * @param action what may be run twice, as if it were once: a source of time may fail after it has run it
     */
    public static void run(TimeSource time, Runnable action) {
        try {
            time.scheduleUrgent(Duration.ZERO, action);
        } catch (RuntimeException | Error noThread) {
            action.run();
        }
    }
}
