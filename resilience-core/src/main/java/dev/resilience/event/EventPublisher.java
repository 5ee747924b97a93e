package dev.resilience.event;

import dev.resilience.context.CallContext;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Passes events to listeners, to what observes the call, and to Java Flight Recorder, and makes none without one of these. Listeners may be added at any time and get what happens from
 * then on. Safe for use by many threads. Not for applications.
 */
public final class EventPublisher {

    private static final String ALL = "all"; // in place of the name of a policy

    /** Those that run on this thread: a listener that caused what it listens to could go on for ever. */
    private static final ThreadLocal<Set<ResilienceListener>> RUNNING =
            ThreadLocal.withInitial(() -> Collections.newSetFromMap(new IdentityHashMap<>()));

    private final List<ResilienceListener> listeners = new CopyOnWriteArrayList<>();
    private final LongAdder failures = new LongAdder();
    private final FoldedLog log = new FoldedLog(
            LoggerFactory.getLogger(EventPublisher.class),
            TimeSource.system(),
            "Listeners",
            ALL,
            "listener_summary",
            () -> Map.of("failed", failures.sum()));

    /** Adds a listener. */
    public void add(ResilienceListener listener) {
        listeners.add(listener);
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
        return !listeners.isEmpty();
    }

    /**
     * Passes an event to all listeners. What one of them throws, an {@link Error} too, does not hurt the call, and what it calls
     * is not part of the call.
     */
    public void publish(Supplier<ResilienceEvent> event) {
        Object observer = CallContext.ofThread()[CallContext.OBSERVER];
        boolean isRecorded = FlightRecords.isRecording();
        if (observer != null || isRecorded || hasListeners()) {
            ResilienceEvent made = event.get();
            if (isRecorded) {
                FlightRecords.record(made);
            }
            if (observer instanceof ResilienceListener ofCall) {
                pass(made, ofCall);
            }
            CallContext.NONE.run(() -> listeners.forEach(listener -> pass(made, listener)));
        }
    }

    private void pass(ResilienceEvent made, ResilienceListener listener) {
        Set<ResilienceListener> running = RUNNING.get();
        if (running.add(listener)) {
            try {
                listener.onEvent(made);
            } catch (Throwable broken) { // a checked one too, thrown sneakily
                failed(listener, made, broken);
            } finally {
                running.remove(listener);
            }
        }
    }

    private void failed(ResilienceListener listener, ResilienceEvent event, Throwable broken) {
        failures.increment();
        String callback = listener.getClass().getName();
        log.write(
                LogLine.CALLBACK_FAILED,
                line -> line.addKeyValue("callback", callback)
                        .setCause(broken)
                        .log("Listener {} failed on {}", callback, event.type()));
    }
}
