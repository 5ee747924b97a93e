package dev.resilience.fault;

import dev.resilience.fault.FaultClassification.ForeignCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An exception's causes and messages, as far as it tells them: one that fails at that must not take the place of the failure.
 * For adapters.
 */
public final class Causes {

    /** Earlier failures that one carries. */
    public static final int MAX_SUPPRESSED = 10;

    private static final int MAX_LENGTH = 50;
    private static final Set<String> TIMEOUT = Set.of("timeout", "timed out");

    private Causes() {}

    /**
     * The exception and its causes, outermost first; cut off where a chain is a circle or absurdly long, and where the cause is
     * the failure of another call.
     */
    public static List<Throwable> of(Throwable failure) {
        List<Throwable> links = new ArrayList<>(4);
        for (Throwable link = failure; link != null && links.size() < MAX_LENGTH; link = causeOf(link)) {
            links.add(link);
        }
        return links;
    }

    private static @Nullable Throwable causeOf(Throwable failure) {
        if (failure instanceof ForeignCause) {
            return null;
        }
        try {
            return failure.getCause();
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return null;
        }
    }

    /**
     * Adds an earlier failure of the same call to its last one. An exception that is thrown again and again, such as a constant,
     * must not collect suppressed ones for ever.
     */
    public static void suppress(Throwable failure, Throwable earlier) {
        List<Throwable> suppressed = Arrays.asList(failure.getSuppressed());
        boolean isKnown = earlier == failure || suppressed.stream().anyMatch(known -> known == earlier);
        if (!isKnown && suppressed.size() < MAX_SUPPRESSED) {
            failure.addSuppressed(earlier);
        }
    }

    static boolean mentionTimeout(Throwable failure) {
        return mention(failure, TIMEOUT);
    }

    /**
     * Whether the message contains one of the phrases, in whatever case.
     *
     * @param phrases in lower case
     */
    static boolean mention(Throwable failure, Set<String> phrases) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(message::contains);
    }

    /**
     * Whether the message begins with one of the phrases, in whatever case.
     *
     * @param phrases in lower case
     */
    static boolean begin(Throwable failure, Set<String> phrases) {
        String message = messageOf(failure).toLowerCase(Locale.ROOT);
        return phrases.stream().anyMatch(message::startsWith);
    }

    /** Empty if there is none. */
    static String messageOf(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message == null ? "" : message;
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            return "";
        }
    }
}
