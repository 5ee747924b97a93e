package dev.resilience.circuitbreaker;

import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a circuit breaker tells the log and the listeners of single calls. Safe for use by many threads. */
final class CircuitBreakerReports {

    private static final Logger log = LoggerFactory.getLogger(CircuitBreaker.class);
    private static final LogLine REJECTED = LogLine.warn("circuit_rejected", "rejected", "rejected");
    private static final LogLine RESULT_RULE_FAILED = LogLine.warn("record_on_result_failed");

    private final String name;
    private final TimeSource time;
    private final EventPublisher events;
    private final FoldedLog lines;
    private final AtomicBoolean resultRuleReported = new AtomicBoolean();

    CircuitBreakerReports(String name, TimeSource time, EventPublisher events) {
        this.name = name;
        this.time = time;
        this.events = events;
        this.lines = new FoldedLog(log, time, "Circuit breaker", name, "circuit_summary", REJECTED);
    }

    /** Returns what the caller gets. */
    CircuitOpenException refused(CircuitOpenException refusal) {
        events.publish(
                () -> new CallRejected(time.now(), "circuit-breaker", name, CircuitBreakerOutcome.REJECTED.label()));
        lines.write(
                REJECTED,
                null,
                line -> line.addKeyValue("retryAfterMs", refusal.retryAfter().toMillis())
                        .log("A call was not made. {}", refusal.getMessage()));
        return refusal;
    }

    /** Reported once. */
    void brokenResultRule(Throwable broken) {
        if (resultRuleReported.compareAndSet(false, true)) {
            RESULT_RULE_FAILED
                    .in(log, name)
                    .setCause(broken)
                    .log(
                            "Circuit breaker '{}': resilience.circuit-breaker.{}.record-on-result could not be evaluated, so "
                                    + "the call counts as a success. Logged once.",
                            name,
                            name);
        }
    }

    void flushLog() {
        lines.close();
    }
}
