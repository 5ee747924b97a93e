package dev.resilience.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * How something is told. Every line of the library at INFO or above is one of these, so that each has the key {@code event},
 * and the table in {@code docs/logging.md} can be held against all of them.
 *
 * @param event the value of the key {@code event}, or {@code null} for what has no line and is only counted in summaries
 * @param level the level of its lines
 * @param key the key of its count in a summary; empty for what is in none
 * @param words what is counted, in words that follow a number: {@code refused by the budget}; empty for what is in no summary
 */
public record LogLine(@Nullable String event, Level level, String key, String words) {

    /** A line that is in no summary. */
    public static LogLine error(String event) {
        return of(event, Level.ERROR);
    }

    /** A line that is in no summary. */
    public static LogLine warn(String event) {
        return of(event, Level.WARN);
    }

    /** A line that is in no summary. */
    public static LogLine info(String event) {
        return of(event, Level.INFO);
    }

    public static LogLine warn(String event, String key, String words) {
        return new LogLine(event, Level.WARN, key, words);
    }

    public static LogLine info(String event, String key, String words) {
        return new LogLine(event, Level.INFO, key, words);
    }

    public static LogLine counted(String key, String words) {
        return new LogLine(null, Level.INFO, key, words);
    }

    static LogLine of(String event, Level level) {
        return new LogLine(event, level, "", "");
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
