package dev.resilience.fallback;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a fallback tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum FallbackLogEvent implements LogEvent {
    ANSWERED(LogLine.warn("fallback_answered", "answered", "answered by the fallback")),
    FAILED(LogLine.warn("fallback_failed", "failed", "failed in the fallback too"));

    private final LogLine line;

    FallbackLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
