package dev.resilience.spring.actuate;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Every circuit breaker with its state, but for a default that no method uses; DOWN where one is open whose policy says so. */
public final class ResilienceHealthIndicator extends AbstractHealthIndicator {

    private final ResilienceRegistry registry;

    public ResilienceHealthIndicator(ResilienceRegistry registry) {
        this.registry = registry;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        for (CircuitBreaker breaker : registry.circuitBreakers().values()) {
            if (registry.isUnusedDefault(PolicyKind.CIRCUIT_BREAKER, breaker.name())) {
                continue;
            }
            CircuitState state = breaker.currentState();
            health.withDetail(breaker.name(), state.name());
            boolean open = state == CircuitState.OPEN || state == CircuitState.FORCED_OPEN;
            if (open && breaker.policy().health() == CircuitBreakerPolicy.Health.DOWN) {
                health.down();
            }
        }
    }
}
