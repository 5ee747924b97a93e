package dev.resilience.spring.metrics;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The timers: fed by events, registered from the start. */
final class EventTimers implements ResilienceListener {

    private final Map<Class<?>, Map<String, List<Fed<?>>>> byName = new ConcurrentHashMap<>();

    /** A timer and what feeds it. */
    private record Fed<E extends ResilienceEvent>(
            String kind, Class<E> type, Function<E, @Nullable Duration> duration, Timer timer) {

        void hear(ResilienceEvent event) {
            Duration duration = event.kind().equals(kind) ? this.duration.apply(type.cast(event)) : null;
            if (duration != null) {
                timer.record(duration);
            }
        }
    }

    <E extends ResilienceEvent> void add(
            String kind, String name, Class<E> type, Function<E, @Nullable Duration> duration, Timer timer) {
        byName.computeIfAbsent(type, key -> new ConcurrentHashMap<>())
                .computeIfAbsent(name, key -> new CopyOnWriteArrayList<>())
                .add(new Fed<>(kind, type, duration, timer));
    }

    void remove(String kind, String name) {
        byName.values()
                .forEach(names -> names.computeIfPresent(name, (same, timers) -> {
                    timers.removeIf(timer -> timer.kind.equals(kind));
                    return timers.isEmpty() ? null : timers;
                }));
    }

    @Override
    public void onEvent(ResilienceEvent event) {
        byName.getOrDefault(event.getClass(), Map.of())
                .getOrDefault(event.name(), List.of())
                .forEach(timer -> timer.hear(event));
    }
}
