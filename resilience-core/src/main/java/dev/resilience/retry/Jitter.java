package dev.resilience.retry;

/**
 * How a backoff delay <i>d</i> is scattered, so that clients that failed together do not come back together.
 *
 * <p>{@link #FULL}, {@link #EQUAL} and {@link #DECORRELATED} are those of Marc Brooker, "Exponential Backoff and
 * Jitter", AWS Architecture Blog, 2015. U(a, b) is uniform between a and b.
 */
public enum Jitter {
    /** U(0, d): the fewest collisions for the least work. The default. */
    FULL,
    /** d/2 + U(0, d/2): never less than half the delay. */
    EQUAL,
    /** min(max-delay, U(base-delay, 3 · previous)), where previous starts at base-delay. */
    DECORRELATED,
    /** d + U(0, d · jitter-factor): never less than the delay, and at most this much beyond max-delay. */
    PROPORTIONAL,
    /** d itself. */
    NONE
}
