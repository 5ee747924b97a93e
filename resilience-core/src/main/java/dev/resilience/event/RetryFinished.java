package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A call that needed at least one retry has ended.
 *
 * @param attempts how many attempts were made, the first one included
 * @param duration from the start of the first attempt to the end of the last; up to about 20 ms too long unless the
 *     policy has a max-duration, for the start is read from a coarse clock
 */
public record RetryFinished(Instant at, String name, RetryOutcome outcome, int attempts, Duration duration)
        implements ResilienceEvent {

    @Override
    public String kind() {
        return "retry";
    }

    @Override
    public String type() {
        return "retry-finished";
    }

    @Override
    public Map<String, Object> details() {
        return Details.of("outcome", outcome.label(), "attempts", attempts, "duration", duration.toString());
    }
}
