package dev.resilience.circuitbreaker;

import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.log.FoldedLog;
import dev.resilience.time.TimeSource;
import org.slf4j.LoggerFactory;

/** Tells the log and the listeners of calls that a circuit breaker refused. Safe for use by many threads. */
final class Refusals {

    private final String name;
    private final TimeSource time;
    private final EventPublisher events;
    private final FoldedLog<CircuitBreakerLogEvent> log;

    Refusals(String name, TimeSource time, EventPublisher events) {
        this.name = name;
        this.time = time;
        this.events = events;
        this.log = new FoldedLog<>(
                LoggerFactory.getLogger(CircuitBreaker.class),
                time,
                "Circuit breaker",
                name,
                "circuit_summary",
                CircuitBreakerLogEvent.class);
    }

    /** Returns what the caller gets. */
    CircuitOpenException tell(CircuitOpenException refusal) {
        events.publish(
                () -> new CallRejected(time.now(), "circuit-breaker", name, CircuitBreakerOutcome.REJECTED.label()));
        log.write(
                CircuitBreakerLogEvent.REJECTED,
                null,
                line -> line.addKeyValue("retryAfterMs", refusal.retryAfter().toMillis())
                        .log("A call was not made. {}", refusal.getMessage()));
        return refusal;
    }

    void flushLog() {
        log.close();
    }
}
