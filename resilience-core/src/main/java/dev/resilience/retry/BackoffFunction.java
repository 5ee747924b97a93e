package dev.resilience.retry;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Says how long to wait before a retry, in place of a policy's {@link Backoff}, of which only the longest delay still holds. A
 * longer {@code Retry-After} of the server, max-duration, deadline and budget hold as well.
 *
 * <p>Where it throws, or returns nothing or less than zero, the policy's own backoff takes its place, and the log says so
 * once. Called on the thread on which the attempt has ended, by many threads.
 */
@FunctionalInterface
public interface BackoffFunction {

    /**
     * The wait after an attempt.
     *
     * @param attempt the number of the attempt that has ended: 1 for the first
     * @param failure what it threw; {@code null} if it returned something that asks for another attempt
     * @param result what it returned; {@code null} if it failed
     * @return at least zero. It is not scattered; what is longer than {@code backoff.max-delay} counts as that
     */
    Duration delay(int attempt, @Nullable Throwable failure, @Nullable Object result);
}
