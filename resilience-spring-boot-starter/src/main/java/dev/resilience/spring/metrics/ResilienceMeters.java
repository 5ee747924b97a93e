package dev.resilience.spring.metrics;

import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.web.CallContextExtractor;
import dev.resilience.spring.web.DeadlineOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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

    private final LiveRegistry resilience;
    private final Kinds kinds;
    private final EventPublisher events;
    private final Runnable resolveMethods;
    private final @Nullable CallContextExtractor incomingCalls;
    private final List<RegisteredMeters> all = new CopyOnWriteArrayList<>();

    /**
     * @param incomingCalls what counts the deadlines of requests, in a web application
     * @param resolveMethods makes sure that all protected methods are known, for fallbacks belong to methods
     */
    public ResilienceMeters(
            LiveRegistry resilience,
            Kinds kinds,
            EventPublisher events,
            @Nullable CallContextExtractor incomingCalls,
            Runnable resolveMethods) {
        this.resilience = resilience;
        this.kinds = kinds;
        this.incomingCalls = incomingCalls;
        this.events = events;
        this.resolveMethods = resolveMethods;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        resolveMethods.run();
        RegisteredMeters meters = new RegisteredMeters(registry);
        all.add(meters);
        EventTimers timers = new EventTimers();
        // a method of a bean that is made late may be the first to use a default, or bring a policy with it
        resilience.onFirstUse((kind, name) -> bindOne(meters, timers, kind, name));
        events.add(event -> follow(meters, timers, event));
        kinds.all().forEach(kind -> bind(meters, timers, kind));
        if (incomingCalls != null) {
            bind(meters, incomingCalls);
        }
        events.add(timers);
    }

    /** Removes all meters from their registries, which may live on. */
    @Override
    public void close() {
        all.forEach(RegisteredMeters::remove);
        all.clear();
    }

    private <L> void bind(RegisteredMeters meters, EventTimers timers, Kind<?, L> kind) {
        Map<String, L> all = resilience.ofKind(kind.id());
        all.forEach((name, live) -> {
            if (!resilience.isUnusedDefault(kind.id(), name)) {
                bind(meters, timers, kind, live);
            }
        });
    }

    private static <L> void bind(RegisteredMeters meters, EventTimers timers, Kind<?, L> kind, L live) {
        kind.meters(live, new LiveObjectMeters(meters, timers, kind.id(), kind.name(live)));
    }

    /** Code adds and removes policies while the application runs; whichever event comes last finds what is true. */
    private void follow(RegisteredMeters meters, EventTimers timers, ResilienceEvent event) {
        if (event instanceof PolicyAdded) {
            bindOne(meters, timers, event.kind(), event.name());
        } else if (event instanceof PolicyRemoved) {
            synchronized (meters) {
                timers.remove(event.kind(), event.name());
                meters.remove(RegisteredMeters.owner(event.kind(), event.name()));
                bindOne(meters, timers, event.kind(), event.name()); // it may be there again
            }
        }
    }

    private void bindOne(RegisteredMeters meters, EventTimers timers, String kind, String name) {
        synchronized (meters) {
            kinds.all().stream()
                    .filter(one -> one.id().equals(kind))
                    .forEach(one -> bindOne(meters, timers, one, name));
        }
    }

    private <L> void bindOne(RegisteredMeters meters, EventTimers timers, Kind<?, L> kind, String name) {
        Map<String, L> all = resilience.ofKind(kind.id());
        L live = all.get(name);
        if (live != null && !meters.has(RegisteredMeters.owner(kind.id(), name))) {
            bind(meters, timers, kind, live);
        }
    }

    private static void bind(RegisteredMeters meters, CallContextExtractor calls) {
        for (DeadlineOutcome outcome : calls.deadlines().outcomes()) {
            meters.counter(
                    DEADLINES.id(),
                    DEADLINES,
                    calls,
                    c -> c.deadlines().get(outcome),
                    Tags.of("outcome", outcome.label()));
        }
    }
}
