package dev.resilience.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.retry.Retry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Runs simulations without the log, for each of a million retries would be a line, and each on a thread of its own, for
 * the exceptions of a million refusals are cheap where the stack is short.
 */
final class SilencedLogs {

    private static final List<Logger> LOGS = List.of(
            (Logger) LoggerFactory.getLogger(Bulkhead.class),
            (Logger) LoggerFactory.getLogger(Retry.class),
            (Logger) LoggerFactory.getLogger(CircuitBreaker.class),
            (Logger) LoggerFactory.getLogger(Idempotency.class));

    private SilencedLogs() {}

    static synchronized <T> T run(Supplier<T> simulation) {
        List<Level> before = LOGS.stream().map(Logger::getLevel).toList(); // null where inherited
        LOGS.forEach(log -> log.setLevel(Level.OFF));
        try {
            return CompletableFuture.supplyAsync(simulation, task -> new Thread(task).start())
                    .join();
        } finally {
            for (int i = 0; i < LOGS.size(); i++) {
                LOGS.get(i).setLevel(before.get(i));
            }
        }
    }
}
