package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;

/**
 * A call has ended, and not with a success of its first attempt: it was retried, or it failed without a retry.
 *
 * @param outcome how it ended; never {@link RetryOutcome#SUCCESS}
 * @param attempts how many attempts were made, the first one included; 1 for a call that was not retried
 * @param duration from the start of the first attempt to the end of the last; up to about 20 ms too long unless the
 *     policy has a max-duration, because the start is read from a coarse clock
 */
public record RetryFinished(Instant at, String name, RetryOutcome outcome, int attempts, Duration duration)
        implements ResilienceEvent {

    @Override
    public String kind() {
        return "retry";
    }
}
