package dev.resilience.time;

/**
 * A source of time whose waits can be ended before their time, all at once, because the application ends. Afterwards
 * {@link #sleep} throws at once, and what is {@linkplain #schedule scheduled} runs at once. Not for applications.
 */
public interface StoppableTime extends TimeSource {

    /** Whether waits end at once now. */
    boolean isStopped();
}
