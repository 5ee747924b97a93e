package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;

/**
 * A call's wait in the queue of a bulkhead has ended.
 *
 * @param outcome whether it got a permit in the end
 * @param waited how long it waited
 */
public record CallQueued(Instant at, String name, BulkheadOutcome outcome, Duration waited) implements ResilienceEvent {

    @Override
    public String kind() {
        return "bulkhead";
    }
}
