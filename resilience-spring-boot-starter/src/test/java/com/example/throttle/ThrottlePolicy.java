package com.example.throttle;

import dev.resilience.policy.InvalidPolicyException;
import java.time.Duration;

/** What is written below {@code resilience.throttle.<name>}. */
public record ThrottlePolicy(int maxCalls, Duration period) {

    public ThrottlePolicy {
        if (maxCalls < 1) {
            throw new InvalidPolicyException("max-calls", maxCalls, "must be at least 1");
        }
    }
}
