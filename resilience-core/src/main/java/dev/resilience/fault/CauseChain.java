package dev.resilience.fault;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An exception and its causes, outermost first; cut off where a chain is a circle or absurdly long, and where the cause is
 * the failure of another call.
 */
final class CauseChain {

    private static final int LONGEST = 50;

    private CauseChain() {}

    static List<Throwable> of(Throwable failure) {
        List<Throwable> links = new ArrayList<>(4);
        for (Throwable link = failure; link != null && links.size() < LONGEST; link = causeOf(link)) {
            links.add(link);
        }
        return links;
    }

    /** One that cannot tell its cause has none: that must not take the place of the failure. */
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
}
