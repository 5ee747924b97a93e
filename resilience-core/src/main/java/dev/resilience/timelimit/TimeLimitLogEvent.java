package dev.resilience.timelimit;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a time limit tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum TimeLimitLogEvent implements LogEvent {
    EXCEEDED(LogLine.warn("time_limit_exceeded", "timedOut", "timed out"));

    private final LogLine line;

    TimeLimitLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
