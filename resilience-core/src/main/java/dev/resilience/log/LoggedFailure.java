package dev.resilience.log;

import org.slf4j.spi.LoggingEventBuilder;

/**
 * What the log tells of an exception: never its stack trace, because there may be thousands.
 *
 * @param type the name of its class
 * @param message its own message
 */
public record LoggedFailure(String type, String message) {

    public static LoggedFailure of(Throwable failure) {
        return new LoggedFailure(failure.getClass().getName(), messageOf(failure));
    }

    /** The keys {@code errorType} and {@code errorMessage}. */
    public LoggingEventBuilder addTo(LoggingEventBuilder line) {
        return line.addKeyValue("errorType", type).addKeyValue("errorMessage", message);
    }

    @Override
    public String toString() {
        return type + ": " + message;
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
