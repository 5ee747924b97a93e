package dev.resilience.spring.cloud;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.reactor.ResilienceOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Spring Cloud's circuit breakers for reactive calls; which one an id gets is told at {@link
 * ResilienceCircuitBreakerFactory}. Each subscription is one call, from then until the publisher ends, as with {@link
 * ResilienceOperator}. A time limit is for the whole of a {@link Flux}.
 *
 * <p>Safe for use by many threads.
 */
public final class ReactiveResilienceCircuitBreakerFactory
        extends ReactiveCircuitBreakerFactory<CircuitBreakerPolicy, CircuitBreakerPolicyConfig> {

    private final CircuitBreakersById breakers;

    public ReactiveResilienceCircuitBreakerFactory(ResilienceRegistry registry) {
        this.breakers = new CircuitBreakersById(registry, getConfigurations());
    }

    /** See {@link ResilienceCircuitBreakerFactory#create(String)}. */
    @Override
    public ReactiveCircuitBreaker create(String id) {
        return new Guarded(breakers.pipeline(id, null));
    }

    /** See {@link ResilienceCircuitBreakerFactory#create(String, String)}. */
    @Override
    public ReactiveCircuitBreaker create(String id, @Nullable String group) {
        return new Guarded(breakers.pipeline(id, group));
    }

    @Override
    protected CircuitBreakerPolicyConfig configBuilder(String id) {
        return breakers.config();
    }

    /** See {@link ResilienceCircuitBreakerFactory#configureDefault}. */
    @Override
    public void configureDefault(Function<String, CircuitBreakerPolicy> policyOfId) {
        breakers.others(policyOfId);
    }

    private record Guarded(Pipeline pipeline) implements ReactiveCircuitBreaker {

        @Override
        public <T> Mono<T> run(Mono<T> call, @Nullable Function<Throwable, Mono<T>> fallback) {
            Mono<T> guarded = Mono.from(ResilienceOperator.<T>of(pipeline).apply(call));
            return fallback == null ? guarded : guarded.onErrorResume(fallback);
        }

        @Override
        public <T> Flux<T> run(Flux<T> call, @Nullable Function<Throwable, Flux<T>> fallback) {
            Flux<T> guarded = Flux.from(ResilienceOperator.<T>of(pipeline).apply(call));
            return fallback == null ? guarded : guarded.onErrorResume(fallback);
        }
    }
}
