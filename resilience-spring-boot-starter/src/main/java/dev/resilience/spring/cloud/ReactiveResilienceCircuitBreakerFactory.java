package dev.resilience.spring.cloud;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.ResilienceRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreaker;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Spring Cloud's circuit breakers for reactive calls; which one an id gets is told at {@link
 * ResilienceCircuitBreakerFactory}. Each subscription is one call, from then until the publisher ends: nothing blocks, the
 * subscriber's context goes along, and cancelling gives the permit back and counts neither way. A time limit is for the whole
 * of a {@link Flux}.
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
            Mono<T> guarded = guard(call.flux()).singleOrEmpty();
            return fallback == null ? guarded : guarded.onErrorResume(fallback);
        }

        @Override
        public <T> Flux<T> run(Flux<T> call, @Nullable Function<Throwable, Flux<T>> fallback) {
            Flux<T> guarded = guard(call);
            return fallback == null ? guarded : guarded.onErrorResume(fallback);
        }

        private <T> Flux<T> guard(Flux<T> call) {
            return Flux.defer(() -> {
                CompletableFuture<Void> admitted = new CompletableFuture<>();
                CompletableFuture<Void> ended = new CompletableFuture<>();
                CompletableFuture<Void> guarded = pipeline.callAsync(() -> {
                    admitted.complete(null);
                    return ended;
                });
                // the elements never end by themselves: the end of the guarded call is theirs
                Flux<T> elements = Mono.fromFuture(admitted, true)
                        .thenMany(call)
                        .onErrorResume(failure -> {
                            ended.completeExceptionally(failure);
                            return Flux.never();
                        })
                        .concatWith(Mono.defer(() -> {
                            ended.complete(null);
                            return Mono.never();
                        }));
                // a failure of the other publisher would not cancel the elements: it comes behind them
                return elements.takeUntilOther(Mono.fromFuture(guarded, true).onErrorComplete())
                        .concatWith(Mono.fromFuture(guarded, true).then(Mono.empty()))
                        .doOnCancel(() -> guarded.cancel(true));
            });
        }
    }
}
