package dev.resilience.spring.benchmark;

import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.TimeSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.annotation.Bean;

/** Records in this process. */
public class IdempotentInMemory extends IdempotentCalls {

    @Setup
    public void start() {
        start(Store.class);
        for (int i = 0; i < stored; i++) {
            executeFirst();
        }
    }

    @Override
    @TearDown
    public void stop() {
        super.stop();
    }

    @Benchmark
    public Object replay() {
        return executeAgain();
    }

    static class Store {

        @Bean
        MemoryIdempotencyStore store(TimeSource time) {
            return new MemoryIdempotencyStore(time, 1L << 30);
        }
    }
}
