package dev.resilience.bulkhead;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a bulkhead tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum BulkheadLogEvent implements LogEvent {
    REJECTED(LogLine.warn("bulkhead_rejected", "rejected", "rejected")),
    TIMED_OUT(LogLine.warn("bulkhead_timed_out", "timedOut", "timed out in the queue")),
    /** The caller cancelled the call while it waited, or the clock failed; counted as rejected, without a line. */
    CANCELLED(LogLine.counted("cancelled", "cancelled in the queue"));

    private final LogLine line;

    BulkheadLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
