package dev.resilience.fault;

import java.util.Locale;
import java.util.Set;

/** Looks for phrases in the messages of exceptions whose class alone does not tell what went wrong. */
final class Wording {

    private static final Set<String> TIMEOUT = Set.of("timeout", "timed out");

    private Wording() {}

    static boolean tellsOfTimeout(Throwable failure) {
        return mentions(failure, TIMEOUT);
    }

    /**
     * Whether the message contains one of the phrases, in whatever case.
     *
     * @param phrases in lower case
     */
    static boolean mentions(Throwable failure, Set<String> phrases) {
        String message = failure.getMessage();
        if (message == null) {
            return false;
        }
        String lowerCase = message.toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(lowerCase::contains);
    }
}
