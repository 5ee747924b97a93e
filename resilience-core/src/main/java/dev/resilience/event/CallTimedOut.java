package dev.resilience.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

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

    @Override
    public String type() {
        return "call-timed-out";
    }

    @Override
    public Map<String, Object> details() {
        return Details.of("timeout", timeout.toString());
    }
}
