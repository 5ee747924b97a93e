package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An attempt failed and another one will follow.
 *
 * @param attempt the number of the attempt that failed; the first is 1
 * @param delay how long the policy waits before the next attempt
 * @param failure what the attempt threw, or {@code null} if its result asked for another try
 */
public record RetryScheduled(
        Instant at,
        String name,
        int attempt,
        int maxAttempts,
        Duration delay,
        @Nullable Throwable failure) implements ResilienceEvent {

    @Override
    public String kind() {
        return "retry";
    }
}
