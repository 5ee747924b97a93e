package dev.resilience.fault;

import java.util.Locale;
import java.util.Set;

/** Looks for phrases in the messages of exceptions whose class alone does not tell what went wrong. */
final class ExceptionMessages {

    private static final Set<String> TIMEOUT = Set.of("timeout", "timed out");

    private ExceptionMessages() {}

    static boolean tellsOfTimeout(Throwable failure) {
        return mentions(failure, TIMEOUT);
    }

    /**
     * Whether the message contains one of the phrases, in whatever case.
     *
     * @param phrases in lower case
     */
    static boolean mentions(Throwable failure, Set<String> phrases) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(message::contains);
    }

    /**
     * Whether the message begins with one of the phrases, in whatever case.
     *
     * @param phrases in lower case
     */
    static boolean begins(Throwable failure, Set<String> phrases) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(message::startsWith);
    }

    /** Empty if there is none, or if making it fails: that must not take the place of the failure. */
    static String messageOf(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message == null ? "" : message;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return "";
        }
    }
}
