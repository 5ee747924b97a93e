package dev.resilience.spring.cloud;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.timelimit.TimeLimit;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

/** Finds or creates the circuit breaker of an id, for both factories of Spring Cloud. Safe for use by many threads. */
final class CircuitBreakersById {

    private static final String DEFAULT = "default";

    private final ResilienceRegistry registry;
    private final Map<String, CircuitBreakerPolicy> byId;
    private volatile @Nullable Function<String, CircuitBreakerPolicy> others;

    /** @param byId what code says of single ids */
    CircuitBreakersById(ResilienceRegistry registry, Map<String, CircuitBreakerPolicy> byId) {
        this.registry = registry;
        this.byId = byId;
    }

    void others(Function<String, CircuitBreakerPolicy> policyOfId) {
        others = policyOfId;
    }

    CircuitBreakerPolicyConfig config() {
        return new CircuitBreakerPolicyConfig(registry.circuitBreaker(DEFAULT).policy());
    }

    /** The circuit breaker of an id, and the time limit of that id inside it if one is configured. */
    Pipeline pipeline(String id, @Nullable String group) {
        Assert.hasText(id, "A circuit breaker of Spring Cloud has no id: give it one");
        CircuitBreaker breaker = breaker(id, group);
        Optional<TimeLimit> limit = registry.find(TimeLimit.class, id);
        return limit.isPresent() ? registry.outermostFirst(breaker, limit.get()) : registry.outermostFirst(breaker);
    }

    private CircuitBreaker breaker(String id, @Nullable String group) {
        CircuitBreaker known = registry.circuitBreakers().get(id);
        if (known != null) {
            return known;
        }
        CircuitBreakerPolicy policy = byId.get(id);
        if (policy == null && group != null) {
            if (registry.circuitBreakers().containsKey(group)) {
                return registry.getOrCreate(CircuitBreaker.class, id, group);
            }
            policy = byId.get(group);
        }
        Function<String, CircuitBreakerPolicy> ofOthers = others;
        if (policy == null && ofOthers != null) {
            policy = ofOthers.apply(id);
        }
        return policy == null
                ? registry.getOrCreate(CircuitBreaker.class, id, DEFAULT)
                : registry.getOrCreate(CircuitBreaker.class, id, policy);
    }
}
