package dev.resilience.log;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The line that stands for all that was folded: counts as keys, and a sentence that names those that are not zero.
 *
 * @param kind the kind of the policy, in words that begin a sentence
 * @param event the value of the key {@code event}
 * @param events what is counted
 */
record LogSummary(String kind, String policy, String event, List<LogLine> events) {

    /**
     * @param counts for each event; of at least one that has lines it is not zero
     * @param period the time in which all that happened
     * @param besidesLines whether there are lines of the same time
     */
    void write(Logger log, long[] counts, Duration period, boolean besidesLines, @Nullable Throwable lastFailure) {
        LoggingEventBuilder line =
                LogLine.of(event, level(counts)).in(log, policy).addKeyValue("periodMs", period.toMillis());
        for (int i = 0; i < events.size(); i++) {
            line = line.addKeyValue(events.get(i).key(), counts[i]);
        }
        String last = "";
        if (lastFailure != null) {
            LoggedFailure failure = LoggedFailure.of(lastFailure);
            line = failure.addTo(line);
            last = ", last: " + failure;
        }
        line.log(
                "{} '{}': {}{} in the last {}{}",
                kind,
                policy,
                besidesLines ? "besides the lines above " : "",
                inWords(counts),
                inWords(period),
                last);
    }

    private Level level(long[] counts) {
        for (int i = 0; i < events.size(); i++) {
            if (counts[i] > 0 && events.get(i).event() != null && events.get(i).level() == Level.WARN) {
                return Level.WARN;
            }
        }
        return Level.INFO;
    }

    private String inWords(long[] counts) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < events.size(); i++) {
            if (counts[i] > 0) {
                words.append(words.isEmpty() ? "" : ", ")
                        .append(inWords(counts[i]))
                        .append(' ')
                        .append(events.get(i).words());
            }
        }
        return words.toString();
    }

    /** With commas between thousands, whatever the locale. */
    private static String inWords(long count) {
        StringBuilder words = new StringBuilder().append(count);
        for (int comma = words.length() - 3; comma > 0; comma -= 3) {
            words.insert(comma, ',');
        }
        return words.toString();
    }

    private static String inWords(Duration period) {
        long seconds = Math.round(period.toMillis() / 1_000.0);
        return seconds > 1 ? seconds + " seconds" : "second";
    }
}
