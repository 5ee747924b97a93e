package dev.resilience.benchmark;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryPolicy;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A call that succeeds, through this library's pipelines with the default policies. */
@State(Scope.Benchmark)
public class Ours extends Settings {

    private final Pipeline retry = Pipeline.of(Resilience.create().retry("retry", RetryPolicy.defaults()));
    private final Pipeline breaker = Pipeline.of(breaker(Window.Type.TIME));
    private final Pipeline countingBreaker = Pipeline.of(breaker(Window.Type.COUNT));
    private final Pipeline bulkhead = Pipeline.of(Resilience.create().bulkhead("bulkhead", BulkheadPolicy.defaults()));
    private final Pipeline adaptiveBulkhead = Pipeline.of(Resilience.create()
            .bulkhead(
                    "bulkhead",
                    BulkheadPolicy.builder().type(BulkheadPolicy.Type.ADAPTIVE).build()));
    private final Pipeline all = Pipeline.of(
            Resilience.create().bulkhead("all", BulkheadPolicy.defaults()),
            breaker(Window.Type.TIME),
            Resilience.create().retry("all", RetryPolicy.defaults()));
    private final Invocation body = this::work;
    private final Supplier<CompletionStage<Object>> stage = () -> STAGE;

    private static CircuitBreaker breaker(Window.Type type) {
        return Resilience.create()
                .circuitBreaker(
                        "breaker",
                        CircuitBreakerPolicy.builder()
                                .window(new Window(type, Window.DEFAULT.duration(), Window.DEFAULT.size()))
                                .build());
    }

    @Benchmark
    public Object retry() throws Throwable {
        return retry.invoke(body);
    }

    @Benchmark
    public Object breaker() throws Throwable {
        return breaker.invoke(body);
    }

    @Benchmark
    public Object countingBreaker() throws Throwable {
        return countingBreaker.invoke(body);
    }

    @Benchmark
    public Object bulkhead() throws Throwable {
        return bulkhead.invoke(body);
    }

    @Benchmark
    public Object adaptiveBulkhead() throws Throwable {
        return adaptiveBulkhead.invoke(body);
    }

    @Benchmark
    public Object all() throws Throwable {
        return all.invoke(body);
    }

    @Benchmark
    public Object allAsynchronous() {
        return all.callAsync(stage);
    }
}
