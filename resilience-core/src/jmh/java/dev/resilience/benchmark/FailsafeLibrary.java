package dev.resilience.benchmark;

import dev.failsafe.Bulkhead;
import dev.failsafe.CircuitBreaker;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.failsafe.function.CheckedSupplier;
import java.util.concurrent.CompletionStage;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The same with Failsafe. */
@State(Scope.Benchmark)
public class FailsafeLibrary extends Settings {

    private final CheckedSupplier<Object> body = this::work;
    private final CheckedSupplier<CompletionStage<Object>> stage = () -> STAGE;
    private final FailsafeExecutor<Object> retry = Failsafe.with(RetryPolicy.ofDefaults());
    private final FailsafeExecutor<Object> breaker = Failsafe.with(CircuitBreaker.ofDefaults());
    private final FailsafeExecutor<Object> bulkhead = Failsafe.with(Bulkhead.of(10));
    private final FailsafeExecutor<Object> all =
            Failsafe.with(Bulkhead.of(10), CircuitBreaker.ofDefaults(), RetryPolicy.ofDefaults());

    @Benchmark
    public Object retry() {
        return retry.get(body);
    }

    @Benchmark
    public Object breaker() {
        return breaker.get(body);
    }

    @Benchmark
    public Object bulkhead() {
        return bulkhead.get(body);
    }

    @Benchmark
    public Object all() {
        return all.get(body);
    }

    @Benchmark
    public Object allAsynchronous() {
        return all.getStageAsync(stage);
    }
}
