package dev.resilience.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

/**
 * Where every wait and every timestamp of the library comes from.
 *
 * <p>Durations are measured by {@link #nanoTime()}, which a change of the wall clock does not touch; {@link #now()} is
 * for what people read and other machines compare. Implementations are safe for use by many threads.
 *
 * @see ManualTimeSource
 */
public interface TimeSource {

    /** The system's clocks. */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }

    /** Monotonic time in nanoseconds, with the meaning of {@link System#nanoTime()}. */
    long nanoTime();

    /**
     * As {@link #nanoTime()}, but possibly up to about 20 ms old, or more where the machine is too busy to keep time:
     * for what is asked on every call and needs no more. Never goes back within a thread.
     */
    default long coarseNanoTime() {
        return nanoTime();
    }

    /** Wall-clock time. */
    Instant now();

    /**
     * Lets the current thread wait; not at all if the duration is zero or less.
     *
     * @throws InterruptedException if the thread is interrupted, or was when it came, however short the wait
     */
    void sleep(Duration duration) throws InterruptedException;

    /**
     * Parks the current thread until it is unparked or interrupted or the time is over, and possibly for no reason, as
     * {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} does.
     *
     * @param blocker the object that thread dumps show as the one waited for
     */
    void park(Object blocker, Duration atMost);

    /**
     * Runs a task once, after the delay, on a thread that the task may block. A delay of zero or less means at once,
     * possibly on the calling thread.
     */
    Scheduled schedule(Duration delay, Runnable task);

    /**
     * As {@link #schedule(Duration, Runnable)}, on a thread of the caller's choice. A source that runs tasks on a thread
     * of its own choice, as {@link ManualTimeSource} does on the one that moves the time, need not follow it.
     *
     * @param executor takes the task when the delay is over, without blocking
     */
    default Scheduled schedule(Duration delay, Runnable task, Executor executor) {
        return scheduleUrgent(delay, () -> executor.execute(task));
    }

    /**
     * As {@link #schedule(Duration, Runnable)}, for what must not come late because other tasks block: renewals and interrupts.
     * The task is short, and calls no code of the application's: see {@link WorkerThreads#ENDS}.
     */
    default Scheduled scheduleUrgent(Duration delay, Runnable task) {
        return schedule(delay, task);
    }

    /** A task that waits for its time. */
    interface Scheduled {

        /** Keeps the task from running if its time has not come; otherwise it may still run. */
        void cancel();
    }
}
