package dev.resilience.spring.cloud;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import org.springframework.cloud.client.circuitbreaker.ConfigBuilder;

/** What code says of a circuit breaker of Spring Cloud: its policy. Not safe for use by many threads. */
public final class CircuitBreakerPolicyConfig implements ConfigBuilder<CircuitBreakerPolicy> {

    private CircuitBreakerPolicy policy;

    CircuitBreakerPolicyConfig(CircuitBreakerPolicy policy) {
        this.policy = policy;
    }

    /** The policy; by default {@code resilience.circuit-breaker.default}. What is configured under the id holds before it. */
    public CircuitBreakerPolicyConfig policy(CircuitBreakerPolicy wanted) {
        policy = wanted;
        return this;
    }

    @Override
    public CircuitBreakerPolicy build() {
        return policy;
    }
}
