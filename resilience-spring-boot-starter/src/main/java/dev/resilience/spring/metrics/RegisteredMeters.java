package dev.resilience.spring.metrics;

import dev.resilience.spring.kind.MeterFamily;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one application in one registry, which may outlive the application and may be shared with others. Those
 * that are registered last are shown: a registry keeps the first meter of a name and tags, which would go on showing the objects of an
 * application that is closed. Meters refer to live objects weakly.
 */
final class RegisteredMeters {

    private final MeterRegistry registry;
    private final Map<String, Set<Meter>> registered = new HashMap<>(); // by what they are of
    private boolean removed;

    RegisteredMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** What the meters of a live object are of; with {@code null} as its name, those that all objects of the kind share. */
    static String owner(String kind, @Nullable String name) {
        return name == null ? kind : kind + "/" + name;
    }

    /** Whether a live object has meters here already. */
    synchronized boolean has(String owner) {
        return registered.containsKey(owner);
    }

    <T> void counter(String owner, MeterFamily family, T live, ToDoubleFunction<T> value, Tags tags) {
        replace(owner, family, Meter.Type.COUNTER, tags);
        registered(
                owner,
                FunctionCounter.builder(family.id(), live, value)
                        .tags(tags)
                        .description(family.description())
                        .baseUnit(family.baseUnit())
                        .register(registry));
    }

    <T> void gauge(String owner, MeterFamily family, T live, ToDoubleFunction<T> value, Tags tags) {
        replace(owner, family, Meter.Type.GAUGE, tags);
        registered(
                owner,
                Gauge.builder(family.id(), live, value)
                        .tags(tags)
                        .description(family.description())
                        .baseUnit(family.baseUnit())
                        .register(registry));
    }

    Timer timer(String owner, MeterFamily family, Tags tags) {
        replace(owner, family, Meter.Type.TIMER, tags);
        Timer timer = Timer.builder(family.id())
                .tags(tags)
                .description(family.description())
                .register(registry);
        registered(owner, timer);
        return timer;
    }

    /** With the application: what has been replaced since by another one is that one's. */
    synchronized void remove() {
        removed = true;
        Set<Meter> present = present();
        registered.values().forEach(meters -> removePresent(meters, present));
        registered.clear();
    }

    /** With a live object that is removed. */
    synchronized void remove(String owner) {
        Set<Meter> meters = registered.remove(owner);
        if (meters != null) {
            removePresent(meters, present());
        }
    }

    private void removePresent(Set<Meter> meters, Set<Meter> present) {
        meters.stream().filter(present::contains).forEach(registry::remove);
    }

    private Set<Meter> present() {
        Set<Meter> present = Collections.newSetFromMap(new IdentityHashMap<>());
        present.addAll(registry.getMeters());
        return present;
    }

    private synchronized void replace(String owner, MeterFamily family, Meter.Type type, Tags tags) {
        Meter replaced = registry.removeByPreFilterId(
                new Meter.Id(family.id(), tags, family.baseUnit(), family.description(), type));
        Set<Meter> meters = registered.get(owner);
        if (replaced != null && meters != null) {
            meters.remove(replaced);
        }
    }

    private synchronized void registered(String owner, Meter meter) {
        if (removed) {
            registry.remove(meter);
        } else {
            registered
                    .computeIfAbsent(owner, first -> Collections.newSetFromMap(new IdentityHashMap<>()))
                    .add(meter);
        }
    }
}
