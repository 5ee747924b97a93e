package dev.resilience.fault;

import java.util.ArrayList;
import java.util.List;

/** An exception and its causes, outermost first; cut off where a chain is a circle or absurdly long. */
final class CauseChain {

    private static final int LONGEST = 50;

    private CauseChain() {}

    static List<Throwable> of(Throwable failure) {
        List<Throwable> links = new ArrayList<>(4);
        for (Throwable link = failure; link != null && links.size() < LONGEST; link = link.getCause()) {
            links.add(link);
        }
        return links;
    }
}
