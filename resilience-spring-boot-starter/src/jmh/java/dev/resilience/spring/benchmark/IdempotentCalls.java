package dev.resilience.spring.benchmark;

import dev.resilience.annotation.Idempotent;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * Calls of an idempotent method, on one thread, beside the same work written by hand in the same server: first
 * executions, each with a key of its own, and replays of one call.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public abstract class IdempotentCalls {

    static final Receipt RECEIPT = new Receipt("an order", 4200, "paid");

    /** How many results of other calls are kept; some in any case, for a database that knows an empty table plans badly. */
    @Param({"10000", "1000000"})
    int stored;

    private final AtomicLong keys = new AtomicLong();
    private ConfigurableApplicationContext context;
    private Payments payments;

    void start(Class<?> configuration, String... properties) {
        context = MeasuredCalls.run(new Class<?>[] {Application.class, configuration}, properties);
        payments = context.getBean(Payments.class);
        payments.pay("replayed", 1);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    void stop() {
        context.close();
    }

    String newKey() {
        return "order " + keys.incrementAndGet();
    }

    Object executeFirst() {
        return payments.pay(newKey(), 4200);
    }

    Object executeAgain() {
        return payments.pay("replayed", 1);
    }

    /** What the method returns. */
    public record Receipt(String order, int amount, String state) {}

    /** A method that does nothing but return. */
    static class Payments {

        @Idempotent(key = "#order")
        public Receipt pay(String order, int amount) {
            return RECEIPT;
        }
    }

    @EnableAutoConfiguration
    @Import(Payments.class)
    static class Application {}
}
