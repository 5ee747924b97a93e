package dev.resilience.log;

import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One sort of lines. Every line of the library at INFO or above is one of these, so that each has the key {@code event},
 * and the table in {@code docs/logging.md} can be held against all of them.
 *
 * @param event the value of the key {@code event}
 * @param outcome what counts the same in a {@linkplain FoldedLog summary}; empty where nothing does
 */
public record LogLine(String event, Level level, String outcome) {

    /** Something of the application's that the library calls threw. */
    public static final LogLine CALLBACK_FAILED = LogLine.warn("callback_failed");

    public static LogLine error(String event) {
        return new LogLine(event, Level.ERROR, "");
    }

    public static LogLine warn(String event) {
        return warn(event, "");
    }

    public static LogLine warn(String event, String outcome) {
        return new LogLine(event, Level.WARN, outcome);
    }

    public static LogLine info(String event) {
        return info(event, "");
    }

    public static LogLine info(String event, String outcome) {
        return new LogLine(event, Level.INFO, outcome);
    }

    /** Begins a line that has its {@code event}; nothing is written before it gets its message. */
    public LoggingEventBuilder in(Logger log) {
        return log.atLevel(level).addKeyValue("event", event);
    }

    /** Begins a line of a policy: as {@link #in(Logger)}, and it has the key {@code policy}. */
    public LoggingEventBuilder in(Logger log, String policy) {
        return in(log).addKeyValue("policy", policy);
    }
}
