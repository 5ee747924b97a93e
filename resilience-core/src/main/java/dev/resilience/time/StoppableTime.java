package dev.resilience.time;

import java.time.Duration;

/**
 * A source of time whose waits can be ended before their time, all at once, because the application ends. Afterwards
 * {@link #sleep} throws at once, and what is {@linkplain #schedule scheduled} runs at once. Not for applications.
 */
public interface StoppableTime extends TimeSource {

    /** Whether waits end at once now. */
    boolean isStopped();

    /**
     * As {@link #schedule(Duration, Runnable)}, without an object beside the task. One whose wait was {@linkplain #endWait
     * ended} before it began does not wait, and does not go on.
     */
    void startWait(DelayedTask task, Duration delay);

    /** Keeps a task from going on; {@code false} if it does so, or its wait was ended before. */
    boolean endWait(DelayedTask task);

    /** Lets a task that has waited wait once more. */
    void renewWait(DelayedTask task);
}
