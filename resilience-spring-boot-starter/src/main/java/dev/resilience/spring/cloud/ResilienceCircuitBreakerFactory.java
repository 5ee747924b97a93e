package dev.resilience.spring.cloud;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.ResilienceRegistry;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.circuitbreaker.CircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;

/**
 * Spring Cloud's circuit breakers for blocking calls, such as those of Feign clients. {@code create(id)} gives the circuit
 * breaker of that name, which annotated methods and {@link ResilienceRegistry} share; one that is not configured is made of
 * the id's group, if that is configured, or of {@code default}. Calls run on their callers' threads and have no time limit
 * unless {@code resilience.time-limit.<id>} is configured.
 *
 * <p>Safe for use by many threads.
 */
public final class ResilienceCircuitBreakerFactory
        extends CircuitBreakerFactory<CircuitBreakerPolicy, CircuitBreakerPolicyConfig> {

    private final CircuitBreakersById breakers;

    public ResilienceCircuitBreakerFactory(ResilienceRegistry registry) {
        this.breakers = new CircuitBreakersById(registry, getConfigurations());
    }

    /**
     * The circuit breaker of a name.
     *
     * @throws IllegalStateException if it is not configured and code has made as many as it may; see {@link
     *     ResilienceRegistry#getOrCreate(Class, String, String)}
     */
    @Override
    public CircuitBreaker create(String id) {
        return new Guarded(breakers.pipeline(id, null));
    }

    /** As {@link #create(String)}; the policy of the group stands in for that of an id of which nothing is said. */
    @Override
    public CircuitBreaker create(String id, @Nullable String group) {
        return new Guarded(breakers.pipeline(id, group));
    }

    @Override
    protected CircuitBreakerPolicyConfig configBuilder(String id) {
        return breakers.config();
    }

    /** Says the policy of every id of which nothing else is said, in YAML or by code. */
    @Override
    public void configureDefault(Function<String, CircuitBreakerPolicy> policyOfId) {
        breakers.others(policyOfId);
    }

    private record Guarded(Pipeline pipeline) implements CircuitBreaker {

        @Override
        public <T> T run(Supplier<T> call, Function<@Nullable Throwable, T> fallback) {
            try {
                return pipeline.get(call);
            } catch (Throwable failure) { // a refusal, too
                return fallback.apply(failure);
            }
        }
    }
}
