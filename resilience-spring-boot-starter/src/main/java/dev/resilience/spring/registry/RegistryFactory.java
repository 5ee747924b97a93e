package dev.resilience.spring.registry;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveObjects;
import dev.resilience.spring.PolicyTimes;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.OtherPolicies;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.time.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.ApplicationContext;

/**
 * Makes the live objects of everything that is configured.
 *
 * @param times of the policies whose calls wait
 */
public record RegistryFactory(
        Kinds kinds,
        PolicyBinder binder,
        CompositeFaultClassifier faults,
        TimeSource time,
        EventPublisher events,
        ContextCarrier carrier,
        PolicyTimes times,
        ApplicationContext beans,
        StartupWarnings warnings,
        StartupMistakes mistakes,
        PolicyNames names,
        Map<Kind<?, ?>, ConfiguredObjects<?, ?>> made) {

    public RegistryFactory(
            Kinds kinds,
            PolicyBinder binder,
            CompositeFaultClassifier faults,
            TimeSource time,
            EventPublisher events,
            AsyncCalls asyncCalls,
            ApplicationContext beans,
            StartupWarnings warnings,
            StartupMistakes mistakes,
            PolicyNames names) {
        this(
                kinds,
                binder,
                faults,
                time,
                events,
                asyncCalls.carrier(),
                new PolicyTimes(time, asyncCalls.maxThreads()),
                beans,
                warnings,
                mistakes,
                names,
                new HashMap<>());
    }

    /** The live objects of all policies that can be made; the others are mistakes, and left out. */
    public ResilienceRegistry create() {
        Map<String, LiveObjects<?>> byKind = new LinkedHashMap<>();
        for (Kind<?, ?> kind : kinds.all()) {
            boolean isConfigured = kind instanceof ConfiguredKind<?, ?, ?>;
            byKind.put(
                    kind.id(),
                    isConfigured ? objects((ConfiguredKind<?, ?, ?>) kind).live() : new LiveObjects<>(kind));
        }
        return new ResilienceRegistry(byKind, times);
    }

    @SuppressWarnings("unchecked") // put under its own kind
    <L extends LiveObject<?>> OtherPolicies<L> objects(Class<? extends ConfiguredKind<?, ?, L>> kind) {
        return (OtherPolicies<L>) objects(kinds.get(kind));
    }

    /** Those of a kind, which are made when they are asked for first: a kind may need those of another one. */
    private ConfiguredObjects<?, ?> objects(ConfiguredKind<?, ?, ?> kind) {
        ConfiguredObjects<?, ?> objects = made.get(kind);
        if (objects == null) {
            objects = new ConfiguredObjects<>(this, kind);
            made.put(kind, objects);
            objects.makeAll();
        }
        return objects;
    }

    /** The policies of a kind by name; none if what all of them need is a mistake. */
    <P extends Record> Map<String, P> policies(ConfiguredKind<?, P, ?> kind) {
        Map<String, P> policies = binder.bind(kind, kind.defaultPolicy());
        return names.isBroken(kind) ? Map.of() : policies;
    }
}
