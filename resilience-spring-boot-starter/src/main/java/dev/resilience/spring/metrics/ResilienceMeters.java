package dev.resilience.spring.metrics;

import dev.resilience.event.Events;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.web.DeadlineOutcome;
import dev.resilience.spring.web.IncomingCalls;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows the live objects to Micrometer: the objects count, the meters read. Every series exists from the start, at 0, but
 * for those of a {@code default} policy, which begin when the first method uses it. Only the two timers hear of events,
 * which are rare: waits and retries. With the application its meters go.
 */
public final class ResilienceMeters implements MeterBinder, AutoCloseable {

    private final ResilienceRegistry resilience;
    private final Events events;
    private final Runnable resolveMethods;
    private final @Nullable IncomingCalls incomingCalls;
    private final IdempotencyStore store;
    private final List<RegisteredMeters> all = new CopyOnWriteArrayList<>();

    /**
     * @param incomingCalls what counts the deadlines of requests, in a web application
     * @param store of the idempotency policies
     * @param resolveMethods makes sure that all protected methods are known, for fallbacks belong to methods
     */
    public ResilienceMeters(
            ResilienceRegistry resilience,
            Events events,
            @Nullable IncomingCalls incomingCalls,
            IdempotencyStore store,
            Runnable resolveMethods) {
        this.resilience = resilience;
        this.incomingCalls = incomingCalls;
        this.store = store;
        this.events = events;
        this.resolveMethods = resolveMethods;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        resolveMethods.run();
        RegisteredMeters meters = new RegisteredMeters(registry);
        all.add(meters);
        EventTimers timers = new EventTimers(meters);
        PolicyMeters policies = new PolicyMeters(meters, timers, resilience.times(), store);
        resilience.firstUses().add((kind, name) -> bindFirstUse(policies, kind, name));
        for (PolicyKind kind : PolicyKind.values()) {
            resilience.ofKind(kind).forEach((name, live) -> {
                if (!resilience.isUnusedDefault(kind, name)) {
                    policies.add(name, live);
                }
            });
        }
        resilience.fallbacks().values().stream()
                .collect(Collectors.groupingBy(Fallback::name))
                .forEach((name, overloads) -> bind(meters, name, overloads));
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

    /** A method of a bean that is made late may be the first to use a default. */
    private void bindFirstUse(PolicyMeters policies, PolicyKind kind, String name) {
        Object live = resilience.ofKind(kind).get(name);
        if (live != null && name.equals("default")) {
            policies.add(name, live);
        }
    }

    private static void bind(RegisteredMeters meters, IncomingCalls calls) {
        for (DeadlineOutcome outcome : calls.deadlines().outcomes()) {
            meters.counter(
                    MeterFamily.DEADLINE_REQUESTS, calls, c -> c.deadlines().get(outcome), "outcome", outcome.label());
        }
    }

    /** Overloads have one name, and so one series. */
    private void bind(RegisteredMeters meters, String name, List<Fallback> overloads) {
        for (FallbackOutcome outcome : FallbackOutcome.values()) {
            meters.counter(
                    MeterFamily.FALLBACK_CALLS,
                    resilience,
                    live -> overloads.stream()
                            .mapToLong(fallback -> fallback.calls().get(outcome))
                            .sum(),
                    "name",
                    name,
                    "outcome",
                    outcome.label());
        }
    }
}
