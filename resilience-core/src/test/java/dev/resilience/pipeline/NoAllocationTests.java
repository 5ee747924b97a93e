package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.retry.RetryPolicy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A call that succeeds leaves no garbage: what is measured is the bytecode's own doing, warmed up or not. */
class NoAllocationTests {

    private static final int CALLS = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void ofARetryWithItsBudget() throws Throwable {
        assertAllocatesNothing(Pipeline.of(Resilience.create().retry("orders", RetryPolicy.defaults())));
    }

    @Test
    void ofARetryThatWatchesTheTime() throws Throwable {
        RetryPolicy policy =
                RetryPolicy.builder().maxDuration(Duration.ofMinutes(1)).build();
        assertAllocatesNothing(Pipeline.of(Resilience.create().retry("orders", policy)));
    }

    @Test
    void ofABulkheadACircuitBreakerAndARetry() throws Throwable {
        assertAllocatesNothing(Pipeline.of(
                Resilience.create().bulkhead("orders", BulkheadPolicy.defaults()),
                Resilience.create().circuitBreaker("orders", CircuitBreakerPolicy.defaults()),
                Resilience.create().retry("orders", RetryPolicy.defaults())));
    }

    @Test
    void ofAnAdaptiveBulkhead() throws Throwable {
        BulkheadPolicy policy =
                BulkheadPolicy.builder().type(BulkheadPolicy.Type.ADAPTIVE).build();
        assertAllocatesLessThan(
                5, Pipeline.of(Resilience.create().bulkhead("orders", policy))); // a window in a hundred calls
    }

    @Test
    void ofACircuitBreakerThatOnlyCountsAndLooksAtResults() throws Throwable {
        CircuitBreakerPolicy policy = CircuitBreakerPolicy.builder()
                .initialState(CircuitState.METRICS_ONLY)
                .recordOnResult("bad"::equals)
                .build();
        assertAllocatesNothing(Pipeline.of(Resilience.create().circuitBreaker("orders", policy)));
    }

    @Test
    void ofALambdaThroughTheFrontDoor() throws Throwable {
        try (Resilience resilience = Resilience.create()) {
            Pipeline orders = resilience
                    .pipeline("orders")
                    .bulkhead(BulkheadPolicy.defaults())
                    .circuitBreaker(CircuitBreakerPolicy.defaults())
                    .retry(RetryPolicy.defaults())
                    .build();
            ThrowingSupplier<String, RuntimeException> body = () -> "result";
            ThrowingRunnable<RuntimeException> noResult = () -> {};

            assertAllocatesNothing(() -> orders.call(body));
            assertAllocatesNothing(() -> orders.run(noResult));
        }
    }

    private void assertAllocatesNothing(Pipeline pipeline) throws Throwable {
        assertAllocatesLessThan(1, pipeline);
    }

    private void assertAllocatesLessThan(int bytes, Pipeline pipeline) throws Throwable {
        Invocation body = () -> "result";
        assertAllocatesLessThan(bytes, () -> pipeline.invoke(body));
    }

    private void assertAllocatesNothing(ThrowingRunnable<Throwable> call) throws Throwable {
        assertAllocatesLessThan(1, call);
    }

    private void assertAllocatesLessThan(int bytes, ThrowingRunnable<Throwable> call) throws Throwable {
        repeat(call); // what is made once: adders' cells, the thread's entries, the window's slots
        long before = threads.getCurrentThreadAllocatedBytes();
        repeat(call);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat((double) allocated / CALLS).as("bytes per call").isLessThan(bytes);
    }

    private static void repeat(ThrowingRunnable<Throwable> call) throws Throwable {
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
    }
}
