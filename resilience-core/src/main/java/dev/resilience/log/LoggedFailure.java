package dev.resilience.log;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What the log and the actuator say about an exception: never its stack trace, because there may be thousands.
 *
 * @param type the name of its class
 * @param message its own message in one line: one that a stranger can influence must not look like further lines of
 *     the log, nor fill it
 * @param rootCause the last of its causes, because wrappers look alike; {@code null} if it has none
 */
public record LoggedFailure(
        String type, String message, @Nullable LoggedFailure rootCause) {

    private static final int MAX_LENGTH = 200;
    private static final int MAX_CAUSES = 50;
    private static final Pattern LINE_BREAKS = Pattern.compile("[\\p{Cntrl}\\u0085\\u2028\\u2029]+");
    private static final LoggedFailure OF_RESULT = new LoggedFailure("result", "the result asks for another try", null);

    /** @param failure {@code null} for a result that counts as one */
    public static LoggedFailure of(@Nullable Throwable failure) {
        return failure == null ? OF_RESULT : of(failure, MAX_LENGTH);
    }

    /** @param maxLength of each type and message */
    public static LoggedFailure of(Throwable failure, int maxLength) {
        Throwable root = rootOf(failure);
        return of(failure, maxLength, root == failure ? null : of(root, maxLength, null));
    }

    private static LoggedFailure of(Throwable failure, int maxLength, @Nullable LoggedFailure root) {
        String type = cut(failure.getClass().getName(), maxLength);
        return new LoggedFailure(
                type, LINE_BREAKS.matcher(cut(messageOf(failure), maxLength)).replaceAll(" "), root);
    }

    /** The keys {@code errorType} and {@code errorMessage}, and those of the root cause. */
    public Map<String, String> pairs() {
        Map<String, String> pairs = new LinkedHashMap<>();
        pairs.put("errorType", type);
        pairs.put("errorMessage", message);
        if (rootCause != null) {
            pairs.put("rootCauseType", rootCause.type);
            pairs.put("rootCauseMessage", rootCause.message);
        }
        return pairs;
    }

    LoggingEventBuilder addTo(LoggingEventBuilder line) {
        LoggingEventBuilder added = line;
        for (Map.Entry<String, String> pair : pairs().entrySet()) {
            added = added.addKeyValue(pair.getKey(), pair.getValue());
        }
        return added;
    }

    @Override
    public String toString() {
        return (message.equals("null") ? type : type + ": " + message)
                + (rootCause == null ? "" : ", caused by " + rootCause);
    }

    private static String cut(String text, int maxLength) {
        return text.length() <= maxLength ? text : text.substring(0, maxLength - 1) + "…";
    }

    /** Cut off where the causes are a circle or absurdly many, or one of them does not tell its own. */
    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        try {
            Throwable cause = failure.getCause();
            for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
                root = cause;
                cause = root.getCause();
            }
        } catch (Throwable broken) { // a checked one too, thrown sneakily
        }
        return root;
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
