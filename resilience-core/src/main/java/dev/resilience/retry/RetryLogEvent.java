package dev.resilience.retry;

import dev.resilience.log.LogEvent;
import dev.resilience.log.LogLine;

/** What the log of a retry tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum RetryLogEvent implements LogEvent {
    ATTEMPT(LogLine.warn("retry_attempt", "retries", "retries")),
    RECOVERED(LogLine.info("retry_recovered", "recovered", "recovered")),
    EXHAUSTED(LogLine.warn("retry_exhausted", "exhausted", "out of attempts")),
    BUDGET_EXHAUSTED(LogLine.warn("retry_budget_exhausted", "budgetExhausted", "refused by the budget")),
    OUT_OF_TIME(LogLine.warn("retry_out_of_time", "outOfTime", "out of time")),
    /** The caller gets the failure, and nothing was repeated: no line. */
    NOT_RETRYABLE(LogLine.counted("notRetryable", "not retryable")),
    /** The caller gave up: no line. */
    INTERRUPTED(LogLine.counted("interrupted", "interrupted"));

    private final LogLine line;

    RetryLogEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
