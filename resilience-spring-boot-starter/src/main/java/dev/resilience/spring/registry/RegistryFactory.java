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
import dev.resilience.spring.kind.LatePolicies;
import dev.resilience.spring.kind.OtherPolicies;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.time.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

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
        BeanFactory beans,
        StartupWarnings warnings,
        StartupMistakes mistakes,
        PolicyNames names,
        Map<Kind<?, ?>, ConfiguredObjects<?, ?>> made)
        implements LatePolicies {

    public RegistryFactory(
            Kinds kinds,
            PolicyBinder binder,
            CompositeFaultClassifier faults,
            TimeSource time,
            EventPublisher events,
            AsyncCalls asyncCalls,
            BeanFactory beans,
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

    @Override
    @SuppressWarnings("unchecked") // of the kind
    public synchronized <L extends LiveObject<?>> @Nullable L make(ConfiguredKind<?, ?, L> kind, String name) {
        return (L) objects((ConfiguredKind<?, ?, ?>) kind).makeLate(name);
    }

    /** The policy of a name; {@code null} for a mistake. */
    <P extends Record> @Nullable P policy(ConfiguredKind<?, P, ?> kind, String name) {
        return binder.bind(kind, kind.defaultPolicy(), name);
    }

    /** The policies of a kind by name; none if what all of them need is a mistake. */
    <P extends Record> Map<String, P> policies(ConfiguredKind<?, P, ?> kind) {
        Map<String, P> policies = binder.bind(kind, kind.defaultPolicy());
        return names.isBroken(kind) ? Map.of() : policies;
    }
}
