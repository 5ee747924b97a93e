package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;

/**
 * A call took longer than its time limit.
 *
 * @param timeout how long it was allowed to take; less than the policy's timeout where its deadline came first
 */
public record CallTimedOut(Instant at, String name, Duration timeout) implements ResilienceEvent {

    @Override
    public String kind() {
        return "time-limit";
    }
}
