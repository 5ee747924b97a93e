package dev.resilience.event.internal;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells listeners what happened; builds no event without a listener. Safe for use by many threads.
 *
 * <p>Listeners may be added at any time and hear of what happens from then on.
 */
public final class EventPublisher {

    private static final ResilienceListener[] NO_LISTENERS = {};

    /** Those that are being told on this thread, the last one innermost. */
    private static final ThreadLocal<Deque<ResilienceListener>> TELLING = ThreadLocal.withInitial(ArrayDeque::new);

    private final ListenerLog listenerLog = new ListenerLog();
    private volatile ResilienceListener[] listeners = NO_LISTENERS;

    /** Adds a listener. */
    public synchronized void add(ResilienceListener listener) {
        List<ResilienceListener> all = new ArrayList<>(Arrays.asList(listeners));
        all.add(listener);
        listeners = all.toArray(NO_LISTENERS);
    }

    /** Adds a listener for one type of event. */
    public <E extends ResilienceEvent> void add(Class<E> type, Consumer<? super E> listener) {
        add(event -> {
            if (type.isInstance(event)) {
                listener.accept(type.cast(event));
            }
        });
    }

    /** Whether there are listeners: what costs time only for the sake of events is left out otherwise. */
    public boolean hasListeners() {
        return listeners != NO_LISTENERS;
    }

    /** Tells everybody who listens. */
    public void publish(Supplier<ResilienceEvent> event) {
        if (!hasListeners()) {
            return;
        }
        try {
            ResilienceEvent made = event.get();
            for (ResilienceListener listener : listeners) {
                tell(listener, made);
            }
        } catch (Throwable broken) { // a clock
            listenerLog.lost(broken);
        }
    }

    /**
     * What a listener throws, an {@link Error} too, must not hurt the call that it hears of. What a listener causes
     * itself it does not hear of, or it could cause that again, until the stack is full.
     */
    private void tell(ResilienceListener listener, ResilienceEvent event) {
        Deque<ResilienceListener> telling = TELLING.get();
        if (isIn(telling, listener)) {
            return;
        }
        telling.addLast(listener);
        try {
            listener.onEvent(event);
        } catch (Throwable broken) {
            listenerLog.failed(listener, event, broken);
        } finally {
            telling.removeLast();
        }
    }

    @SuppressWarnings("ReferenceEquality") // two listeners that are equal are two
    private static boolean isIn(Deque<ResilienceListener> telling, ResilienceListener listener) {
        for (ResilienceListener one : telling) {
            if (one == listener) {
                return true;
            }
        }
        return false;
    }
}
