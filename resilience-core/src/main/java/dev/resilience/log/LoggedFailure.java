package dev.resilience.log;

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
    private static final String LINE_BREAKS = "[\\p{Cntrl}\\u0085\\u2028\\u2029]+";
    private static final LoggedFailure OF_RESULT = new LoggedFailure("result", "the result asks for another try", null);

    /** What is said about a failure; {@code null} for a result that counts as one. */
    public static LoggedFailure of(@Nullable Throwable failure) {
        return failure == null ? OF_RESULT : of(failure, MAX_LENGTH);
    }

    /** As {@link #of(Throwable)}, with another length at which each type and message is cut off. */
    public static LoggedFailure of(Throwable failure, int maxLength) {
        Throwable root = rootOf(failure);
        String message = inOneLine(cut(messageOf(failure), maxLength));
        return new LoggedFailure(
                cut(failure.getClass().getName(), maxLength), message, root == failure ? null : of(root, maxLength));
    }

    /** The keys {@code errorType} and {@code errorMessage}, and those of the root cause. */
    LoggingEventBuilder addTo(LoggingEventBuilder line) {
        LoggingEventBuilder added = line.addKeyValue("errorType", type).addKeyValue("errorMessage", message);
        return rootCause == null
                ? added
                : added.addKeyValue("rootCauseType", rootCause.type).addKeyValue("rootCauseMessage", rootCause.message);
    }

    @Override
    public String toString() {
        return (message.equals("null") ? type : type + ": " + message)
                + (rootCause == null ? "" : ", caused by " + rootCause);
    }

    /** Each failed call of an outage comes here, and hardly a message has a line break: it alone costs a pattern. */
    private static String inOneLine(String text) {
        boolean isOne = text.chars().noneMatch(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029);
        return isOne ? text : text.replaceAll(LINE_BREAKS, " ");
    }

    /** The text with at most so many characters; what is cut off leaves an ellipsis. */
    public static String cut(String text, int maxLength) {
        if (text.length() <= maxLength) {
            return text;
        }
        int end = maxLength - 1; // not in the middle of a character of two
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
    }

    /** The failure itself where the causes are a circle or absurdly many, or one of them does not tell its own. */
    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        try {
            for (int i = 0; i < MAX_CAUSES && root.getCause() != null; i++) {
                root = root.getCause();
            }
            return root.getCause() == null ? root : failure;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return failure;
        }
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
