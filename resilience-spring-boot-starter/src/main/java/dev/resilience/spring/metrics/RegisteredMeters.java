package dev.resilience.spring.metrics;

import dev.resilience.spring.kind.MeterFamily;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one application in one registry, which may outlive the application and may be shared with others. Whoever
 * registers last is shown: a registry keeps the first meter of a name and tags, which would go on showing the objects of an
 * application that is closed. Meters refer to live objects weakly.
 */
final class RegisteredMeters {

    private final MeterRegistry registry;
    private final List<Meter> registered = new ArrayList<>();
    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private boolean removed;

    RegisteredMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Whether the meters of a policy are still to be registered; from then on they are. */
    boolean begin(String kind, String policy) {
        return begun.add(kind + "/" + policy);
    }

    <T> void counter(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags) {
        replace(family, Meter.Type.COUNTER, tags);
        registered(FunctionCounter.builder(family.id(), live, value)
                .tags(tags)
                .description(family.description())
                .baseUnit(family.baseUnit())
                .register(registry));
    }

    <T> void gauge(MeterFamily family, T live, ToDoubleFunction<T> value, String... tags) {
        replace(family, Meter.Type.GAUGE, tags);
        registered(Gauge.builder(family.id(), live, value)
                .tags(tags)
                .description(family.description())
                .baseUnit(family.baseUnit())
                .register(registry));
    }

    Timer timer(MeterFamily family, String... tags) {
        replace(family, Meter.Type.TIMER, tags);
        Timer timer = Timer.builder(family.id())
                .tags(tags)
                .description(family.description())
                .register(registry);
        registered(timer);
        return timer;
    }

    /** With the application: what has been replaced since by another one is that one's. */
    synchronized void remove() {
        removed = true;
        Set<Meter> present = Collections.newSetFromMap(new IdentityHashMap<>());
        present.addAll(registry.getMeters());
        registered.stream().filter(present::contains).forEach(registry::remove);
        registered.clear();
    }

    private void replace(MeterFamily family, Meter.Type type, String... tags) {
        registry.removeByPreFilterId(
                new Meter.Id(family.id(), Tags.of(tags), family.baseUnit(), family.description(), type));
    }

    private synchronized void registered(Meter meter) {
        if (removed) {
            registry.remove(meter);
        } else {
            registered.add(meter);
        }
    }
}
