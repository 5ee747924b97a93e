package dev.resilience.circuitbreaker;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a circuit breaker tells of besides its transitions. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum CircuitBreakerLogEvent implements LogEvent {
    REJECTED(LogLine.warn("circuit_rejected", "rejected", "rejected"));

    private final LogLine line;

    CircuitBreakerLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
