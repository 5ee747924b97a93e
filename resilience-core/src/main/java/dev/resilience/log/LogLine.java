package dev.resilience.log;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * How something is told: in lines of its own and in summaries.
 *
 * @param event the value of the key {@code event}, or {@code null} for what has no line and is only counted in summaries
 * @param level the level of its lines
 * @param key the key of its count in a summary
 * @param words what is counted, in words that follow a number: {@code refused by the budget}
 */
public record LogLine(@Nullable String event, Level level, String key, String words) {

    public static LogLine warn(String event, String key, String words) {
        return new LogLine(event, Level.WARN, key, words);
    }

    public static LogLine info(String event, String key, String words) {
        return new LogLine(event, Level.INFO, key, words);
    }

    public static LogLine counted(String key, String words) {
        return new LogLine(null, Level.INFO, key, words);
    }
}
