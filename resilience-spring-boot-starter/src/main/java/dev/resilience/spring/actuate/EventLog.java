package dev.resilience.spring.actuate;

import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Remembers the last events of every live object, for operators. Its size is bounded, however many there are. */
public final class EventLog implements ResilienceListener {

    private final ConcurrentMap<Source, EventHistory> histories = new ConcurrentHashMap<>();

    @Override
    public void onEvent(ResilienceEvent event) {
        Source source = new Source(event.kind(), event.name());
        if (event instanceof PolicyRemoved) {
            histories.remove(source);
            return;
        }
        EventHistory history = histories.get(source);
        if (history == null) {
            history = histories.computeIfAbsent(source, first -> new EventHistory());
        }
        history.add(event);
    }

    /** The last events, the newest first. */
    List<Map<String, Object>> of(String kind, String name) {
        EventHistory history = histories.get(new Source(kind, name));
        return history == null ? List.of() : history.newestFirst();
    }

    private record Source(String kind, String name) {}
}
