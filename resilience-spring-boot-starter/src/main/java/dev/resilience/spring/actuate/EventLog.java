package dev.resilience.spring.actuate;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Remembers the last events of every live object, for operators. */
public final class EventLog implements ResilienceListener {

    private static final int KEPT = 100;

    private final ConcurrentMap<Source, Deque<ResilienceEvent>> events = new ConcurrentHashMap<>();

    @Override
    public void onEvent(ResilienceEvent event) {
        Deque<ResilienceEvent> kept =
                events.computeIfAbsent(new Source(event.kind(), event.name()), source -> new ArrayDeque<>(KEPT));
        synchronized (kept) {
            if (kept.size() == KEPT) {
                kept.removeLast();
            }
            kept.addFirst(event);
        }
    }

    /** The last events, the newest first. */
    List<Map<String, Object>> of(String kind, String name) {
        Deque<ResilienceEvent> kept = events.get(new Source(kind, name));
        if (kept == null) {
            return List.of();
        }
        synchronized (kept) {
            return kept.stream().map(EventLog::view).toList();
        }
    }

    private static Map<String, Object> view(ResilienceEvent event) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", event.at().toString());
        view.put("type", event.type());
        view.putAll(event.details());
        return view;
    }

    private record Source(String kind, String name) {}
}
