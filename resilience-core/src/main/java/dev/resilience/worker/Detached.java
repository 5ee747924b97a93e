package dev.resilience.worker;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** What ends with a call and may take long, such as what the application does when a future ends. */
public final class Detached {

    private Detached() {}

    /** Runs an action once, on a thread that has nothing else to do, or on this one if the system has no thread left. */
    public static void run(TimeSource time, Runnable action) {
        run(task -> time.scheduleUrgent(Duration.ZERO, task), action);
    }

    /**
     * Runs an action once.
     *
     * @param threads run it. If they refuse it by an exception, it runs on this thread, unless they have begun it all the
     *     same: a source of time may throw after it has run what is due
     */
    public static void run(Executor threads, Runnable action) {
        AtomicBoolean begun = new AtomicBoolean();
        Runnable once = () -> {
            if (begun.compareAndSet(false, true)) {
                action.run();
            }
        };
        try {
            threads.execute(once);
        } catch (Throwable refused) { // a checked one too, thrown sneakily
            once.run();
        }
    }
}
