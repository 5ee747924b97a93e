package dev.resilience.spring.metrics;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of one live object in one registry, each with the object's name, or with none for what all share. */
record LiveObjectMeters(
        RegisteredMeters meters,
        EventTimers timers,
        String kind,
        @Nullable String name) implements Meters {

    @Override
    public <T> void counter(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags) {
        meters.counter(owner(), family, live, value, named(tags));
    }

    @Override
    public <T> void gauge(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags) {
        meters.gauge(owner(), family, live, value, named(tags));
    }

    @Override
    public <E extends ResilienceEvent> void timer(
            MeterFamily family, Class<E> events, Function<E, @Nullable Duration> duration, String... tags) {
        timers.add(kind, String.valueOf(name), events, duration, meters.timer(owner(), family, named(tags)));
    }

    @Override
    public Meters ofAll() {
        return new LiveObjectMeters(meters, timers, kind, null);
    }

    private String owner() {
        return RegisteredMeters.owner(kind, name);
    }

    private Tags named(String... tags) {
        return name == null ? Tags.of(tags) : Tags.of("name", name).and(tags);
    }
}
