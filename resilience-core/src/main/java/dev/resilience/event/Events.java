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

    private final ListenerLog listenerLog = new ListenerLog();
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
        if (!heard()) {
            return;
        }
        try {
            ResilienceEvent made = event.get();
            for (ResilienceListener listener : listeners) {
                tell(listener, made);
            }
        } catch (Throwable broken) { // a clock, or a log that cannot write what a listener threw
            warn("An event could not be published: " + broken.getClass().getName());
        }
    }

    /** Whatever a listener throws, an {@link Error} too, must not hurt the call that it hears of. */
    private void tell(ResilienceListener listener, ResilienceEvent event) {
        try {
            listener.onEvent(event);
        } catch (Throwable broken) {
            listenerLog.failed(listener, event, broken);
        }
    }

    private static void warn(String message) {
        try {
            log.warn(message);
        } catch (Throwable brokenToo) {
            // there is nobody left to tell
        }
    }
}
