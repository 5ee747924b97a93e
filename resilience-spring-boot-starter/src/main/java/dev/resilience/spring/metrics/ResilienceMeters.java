package dev.resilience.spring.metrics;

import dev.resilience.event.EventPublisher;
import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import dev.resilience.spring.web.CallContextExtractor;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows the live objects to Micrometer: the objects count, the meters read. Every series exists from the start, at 0, but
 * for those of a {@code default} policy, which begin when the first method uses it. Only the two timers hear of events,
 * which are rare: waits and retries. With the application its meters go.
 */
public final class ResilienceMeters implements MeterBinder, AutoCloseable {

    private static final MeterFamily DEADLINES = new MeterFamily(
            "resilience.deadline.requests",
            "requests",
            "Requests that came with a deadline, by whether it was accepted");

    private final Supplier<DefaultResilienceRegistry> resilience;
    private final EventPublisher events;
    private final Supplier<@Nullable CallContextExtractor> incomingCalls;
    private final Runnable resolveMethods;
    private final Consumer<Runnable> whenNeeded;
    private final List<RegisteredMeters> all = new CopyOnWriteArrayList<>();

    /**
     * @param incomingCalls what counts the deadlines of requests, in a web application
     * @param resolveMethods makes sure that all protected methods are known, because fallbacks belong to methods
     * @param whenNeeded runs a task when the live objects are there, which the meters do not create
     */
    public ResilienceMeters(
            Supplier<DefaultResilienceRegistry> resilience,
            EventPublisher events,
            Supplier<@Nullable CallContextExtractor> incomingCalls,
            Runnable resolveMethods,
            Consumer<Runnable> whenNeeded) {
        this.resilience = resilience;
        this.events = events;
        this.incomingCalls = incomingCalls;
        this.resolveMethods = resolveMethods;
        this.whenNeeded = whenNeeded;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        resolveMethods.run();
        whenNeeded.accept(() -> bindTo(new RegisteredMeters(registry)));
    }

    private void bindTo(RegisteredMeters meters) {
        LiveRegistry live = resilience.get().live();
        all.add(meters);
        // a method of a bean that is made late may be the first to use a default, or bring a policy with it
        live.onFirstUse((kind, name) -> bind(meters, kind, name));
        events.add(event -> follow(meters, event));
        for (Kind<?, ?> kind : resilience.get().kinds().all()) {
            for (String name : live.ofKind(kind.id()).keySet()) {
                if (!live.isUnusedDefault(kind.id(), name)) {
                    bind(meters, kind, name);
                }
            }
        }
        CallContextExtractor calls = incomingCalls.get();
        if (calls != null) {
            meters.of(DEADLINES.id(), null).outcomes(DEADLINES, calls.deadlines());
        }
    }

    /** Removes all meters from their registries, which may live on. */
    @Override
    public void close() {
        all.forEach(RegisteredMeters::removeAll);
        all.clear();
    }

    /** Code adds and removes policies while the application runs; whichever event comes last finds what is true. */
    private void follow(RegisteredMeters meters, ResilienceEvent event) {
        meters.record(event);
        if (event instanceof PolicyAdded) {
            bind(meters, event.kind(), event.name());
        } else if (event instanceof PolicyRemoved) {
            synchronized (meters) {
                meters.remove(event.kind(), event.name());
                bind(meters, event.kind(), event.name()); // it may be there again
            }
        }
    }

    private void bind(RegisteredMeters meters, String kind, String name) {
        resilience.get().kinds().all().stream()
                .filter(one -> one.id().equals(kind))
                .forEach(one -> bind(meters, one, name));
    }

    private <L> void bind(RegisteredMeters meters, Kind<?, L> kind, String name) {
        synchronized (meters) {
            L live = resilience.get().live().<L>ofKind(kind.id()).get(name);
            if (live != null && !meters.has(kind.id(), kind.name(live))) {
                kind.meters(live, meters.of(kind.id(), kind.name(live)));
            }
        }
    }

    /**
     * The meters of one application in one registry, which may outlive the application and may be shared with others. Those
     * that are registered last are shown: a registry keeps the first meter of a name and tags, which would go on showing the objects of an
     * application that is closed. Meters refer to live objects weakly.
     */
    private static final class RegisteredMeters {

        private final MeterRegistry registry;
        private final Map<Owner, Set<Meter>> registered = new HashMap<>();
        private final Map<Owner, List<EventTimer<?>>> timers = new ConcurrentHashMap<>();
        private boolean removed;

        RegisteredMeters(MeterRegistry registry) {
            this.registry = registry;
        }

        /** What meters are of: a live object, or, with {@code null} as the name, all those of a kind. */
        private record Owner(String kind, @Nullable String name) {}

        /** A timer and what feeds it. */
        private record EventTimer<E extends ResilienceEvent>(
                Class<E> type, Function<E, @Nullable Duration> duration, Timer timer) {

            void record(ResilienceEvent event) {
                Duration passed = type.isInstance(event) ? duration.apply(type.cast(event)) : null;
                if (passed != null) {
                    timer.record(passed);
                }
            }
        }

        /** Where the meters of a live object are registered, each with its name; with none for what all of a kind share. */
        Meters of(String kind, @Nullable String name) {
            return new OfOwner(new Owner(kind, name));
        }

        /** Whether a live object has meters here already. */
        synchronized boolean has(String kind, String name) {
            return registered.containsKey(new Owner(kind, name));
        }

        /** Feeds the timers. */
        void record(ResilienceEvent event) {
            timers.getOrDefault(new Owner(event.kind(), event.policyName()), List.of())
                    .forEach(timer -> timer.record(event));
        }

        /** With a live object that is removed. */
        synchronized void remove(String kind, String name) {
            Owner owner = new Owner(kind, name);
            timers.remove(owner);
            Set<Meter> meters = registered.remove(owner);
            if (meters != null) {
                remove(List.of(meters));
            }
        }

        /** With the application: what has been replaced since by another one is that one's. */
        synchronized void removeAll() {
            removed = true;
            remove(registered.values());
            registered.clear();
        }

        private void remove(Collection<Set<Meter>> meters) {
            Set<Meter> present = Collections.newSetFromMap(new IdentityHashMap<>());
            present.addAll(registry.getMeters());
            meters.forEach(some -> some.stream().filter(present::contains).forEach(registry::remove));
        }

        private final class OfOwner implements Meters {

            private final Owner owner;
            private final Tags ofOwner;

            OfOwner(Owner owner) {
                this.owner = owner;
                this.ofOwner = owner.name == null ? Tags.empty() : Tags.of("name", owner.name);
            }

            @Override
            public <T> void counter(MeterFamily family, T live, ToDoubleFunction<T> value, String... more) {
                Tags tags = ofOwner.and(more);
                register(
                        family,
                        Meter.Type.COUNTER,
                        tags,
                        () -> FunctionCounter.builder(family.id(), live, value)
                                .tags(tags)
                                .description(family.description())
                                .baseUnit(family.baseUnit())
                                .register(registry));
            }

            @Override
            public <T> void gauge(MeterFamily family, T live, ToDoubleFunction<T> value, String... more) {
                Tags tags = ofOwner.and(more);
                register(
                        family,
                        Meter.Type.GAUGE,
                        tags,
                        () -> Gauge.builder(family.id(), live, value)
                                .tags(tags)
                                .description(family.description())
                                .baseUnit(family.baseUnit())
                                .register(registry));
            }

            @Override
            public <E extends ResilienceEvent> void timer(
                    MeterFamily family, Class<E> events, Function<E, @Nullable Duration> duration, String... more) {
                Tags tags = ofOwner.and(more);
                Timer timer = register(
                        family,
                        Meter.Type.TIMER,
                        tags,
                        () -> Timer.builder(family.id())
                                .tags(tags)
                                .description(family.description())
                                .register(registry));
                timers.computeIfAbsent(owner, first -> new CopyOnWriteArrayList<>())
                        .add(new EventTimer<>(events, duration, timer));
            }

            private <M extends Meter> M register(
                    MeterFamily family, Meter.Type type, Tags tags, Supplier<M> registering) {
                synchronized (RegisteredMeters.this) {
                    registry.removeByPreFilterId(
                            new Meter.Id(family.id(), tags, family.baseUnit(), family.description(), type));
                    M meter = registering.get();
                    if (removed) {
                        registry.remove(meter);
                    } else {
                        Set<Meter> meters = registered.computeIfAbsent(owner, first -> new HashSet<>());
                        meters.remove(meter); // an earlier one of the same name and tags, which is equal
                        meters.add(meter);
                    }
                    return meter;
                }
            }

            @Override
            public Meters ofAll() {
                return of(owner.kind, null);
            }
        }
    }
}
