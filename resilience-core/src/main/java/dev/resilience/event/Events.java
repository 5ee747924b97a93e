package dev.resilience.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happened; builds no event while nobody listens. Safe for use by many threads.
 *
 * <p>Listeners may be added at any time and hear of what happens from then on.
 */
public final class Events {

    private static final Logger log = LoggerFactory.getLogger(Events.class);
    private static final ResilienceListener[] NOBODY = {};

    private volatile ResilienceListener[] listeners = NOBODY;

    /** Adds a listener. */
    public synchronized void add(ResilienceListener listener) {
        List<ResilienceListener> all = new ArrayList<>(Arrays.asList(listeners));
        all.add(listener);
        listeners = all.toArray(NOBODY);
    }

    /** Whether anybody listens: what costs time only for the sake of events is left out otherwise. */
    public boolean heard() {
        return listeners != NOBODY;
    }

    /** Tells everybody who listens. */
    public void publish(Supplier<ResilienceEvent> event) {
        if (heard()) {
            publish(event.get());
        }
    }

    @SuppressWarnings("CatchingUnchecked") // a listener cannot hurt the call that it hears of
    private void publish(ResilienceEvent event) {
        for (ResilienceListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (Exception broken) {
                log.warn("Listener {} failed on {}", listener.getClass().getName(), event.type(), broken);
            }
        }
    }
}
