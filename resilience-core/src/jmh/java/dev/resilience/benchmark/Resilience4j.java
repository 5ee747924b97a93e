package dev.resilience.benchmark;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.github.resilience4j.retry.Retry;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The same with Resilience4j: suppliers decorated once, default configurations. */
@State(Scope.Benchmark)
public class Resilience4j extends Settings {

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    });

    private final Supplier<Object> body = this::work;
    private final Supplier<Object> retry = Retry.decorateSupplier(Retry.ofDefaults("retry"), body);
    private final Supplier<Object> breaker =
            CircuitBreaker.decorateSupplier(breaker(SlidingWindowType.TIME_BASED), body);
    private final Supplier<Object> countingBreaker =
            CircuitBreaker.decorateSupplier(breaker(SlidingWindowType.COUNT_BASED), body);
    private final Supplier<Object> bulkhead = Bulkhead.decorateSupplier(Bulkhead.ofDefaults("bulkhead"), body);
    private final Supplier<Object> all = Bulkhead.decorateSupplier(
            Bulkhead.ofDefaults("all"),
            CircuitBreaker.decorateSupplier(
                    breaker(SlidingWindowType.COUNT_BASED), Retry.decorateSupplier(Retry.ofDefaults("all"), body)));
    private final Supplier<CompletionStage<Object>> asynchronous = Bulkhead.decorateCompletionStage(
            Bulkhead.ofDefaults("asynchronous"),
            CircuitBreaker.decorateCompletionStage(
                    breaker(SlidingWindowType.COUNT_BASED),
                    Retry.decorateCompletionStage(Retry.ofDefaults("asynchronous"), TIMER, () -> STAGE)));

    private static CircuitBreaker breaker(SlidingWindowType type) {
        return CircuitBreaker.of(
                "breaker", CircuitBreakerConfig.custom().slidingWindowType(type).build());
    }

    @Benchmark
    public Object retry() {
        return retry.get();
    }

    @Benchmark
    public Object breaker() {
        return breaker.get();
    }

    @Benchmark
    public Object countingBreaker() {
        return countingBreaker.get();
    }

    @Benchmark
    public Object bulkhead() {
        return bulkhead.get();
    }

    @Benchmark
    public Object all() {
        return all.get();
    }

    @Benchmark
    public Object allAsynchronous() {
        return asynchronous.get();
    }
}
