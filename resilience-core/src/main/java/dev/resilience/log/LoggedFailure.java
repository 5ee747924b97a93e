package dev.resilience.log;

import java.util.regex.Pattern;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What the log says about an exception: never its stack trace, because there may be thousands.
 *
 * @param type the name of its class
 * @param message its own message in one line: one that a stranger can influence must not look like further lines of
 *     the log, nor fill it
 */
public record LoggedFailure(String type, String message) {

    private static final int MAX_LENGTH = 1_000;
    private static final Pattern LINE_BREAKS = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]+");

    public static LoggedFailure of(Throwable failure) {
        return new LoggedFailure(failure.getClass().getName(), inOneLine(messageOf(failure)));
    }

    /** The keys {@code errorType} and {@code errorMessage}. */
    public LoggingEventBuilder addTo(LoggingEventBuilder line) {
        return line.addKeyValue("errorType", type).addKeyValue("errorMessage", message);
    }

    @Override
    public String toString() {
        return type + ": " + message;
    }

    private static String inOneLine(String message) {
        boolean isCut = message.length() > MAX_LENGTH;
        String kept = isCut ? message.substring(0, MAX_LENGTH) : message;
        return LINE_BREAKS.matcher(kept).replaceAll(" ") + (isCut ? "…" : "");
    }

    /** A message that is made when it is asked for may fail, which must not take the place of the failure. */
    private static String messageOf(Throwable failure) {
        try {
            return String.valueOf(failure.getMessage());
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return "(its message fails with " + broken.getClass().getName() + ")";
        }
    }
}
