package dev.resilience.spring.registry;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveObjects;
import dev.resilience.spring.LiveRegistry;
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
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** Makes the live objects of everything that is configured at startup, and those that code asks for later. */
public final class RegistryFactory implements LatePolicies {

    private final Kinds kinds;
    private final PolicyBinder binder;
    private final CompositeFaultClassifier faults;
    private final TimeSource time;
    private final EventPublisher events;
    private final ContextCarrier carrier;
    private final PolicyTimes times;
    private final ApplicationContext beans;
    private final StartupWarnings warnings;
    private final StartupMistakes mistakes;
    private final PolicyNames names;
    private final Map<Kind<?, ?>, ConfiguredObjects<?, ?>> made = new HashMap<>();
    private final LiveRegistry live;
    private BiConsumer<String, String> alongside = (kind, name) -> {};

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
        this.kinds = kinds;
        this.binder = binder;
        this.faults = faults;
        this.time = time;
        this.events = events;
        this.carrier = asyncCalls.carrier();
        this.times = new PolicyTimes(time, asyncCalls.maxThreads());
        this.beans = beans;
        this.warnings = warnings;
        this.mistakes = mistakes;
        this.names = names;
        this.live = create();
    }

    /** The live objects of all policies that can be made; the others are mistakes, and left out. */
    public LiveRegistry live() {
        return live;
    }

    private LiveRegistry create() {
        Map<String, LiveObjects<?>> byKind = new LinkedHashMap<>();
        for (Kind<?, ?> kind : kinds.all()) {
            boolean isConfigured = kind instanceof ConfiguredKind<?, ?, ?>;
            byKind.put(
                    kind.id(),
                    isConfigured ? objects((ConfiguredKind<?, ?, ?>) kind).live() : new LiveObjects<>(kind));
        }
        return new LiveRegistry(byKind, times);
    }

    /**
     * What applications see of the live objects.
     *
     * @param order of the layers, the outermost first
     * @param mostCreated how many policies of a kind code makes
     */
    public ResilienceRegistry registry(PolicyChanges changes, List<Kind<?, ?>> order, int mostCreated) {
        return new ApplicationRegistry(this, live, changes, order, mostCreated);
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

    /**
     * Makes the live object of a policy that is not configured.
     *
     * @param alongside gets kind and name of what is made because this one needs it: the budget of a retry
     */
    @SuppressWarnings("unchecked") // put under its own kind
    synchronized <P extends Record, L extends LiveObject<P>> L createLater(
            ConfiguredKind<?, P, L> kind, String name, P policy, BiConsumer<String, String> alongside) {
        this.alongside = alongside;
        try {
            return ((ConfiguredObjects<P, L>) objects(kind)).makeLater(name, policy);
        } finally {
            this.alongside = (otherKind, otherName) -> {};
        }
    }

    void madeAlongside(String kind, String name) {
        alongside.accept(kind, name);
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

    Kinds kinds() {
        return kinds;
    }

    public PolicyBinder binder() {
        return binder;
    }

    CompositeFaultClassifier faults() {
        return faults;
    }

    TimeSource time() {
        return time;
    }

    EventPublisher events() {
        return events;
    }

    ContextCarrier carrier() {
        return carrier;
    }

    PolicyTimes times() {
        return times;
    }

    ApplicationContext beans() {
        return beans;
    }

    StartupWarnings warnings() {
        return warnings;
    }

    StartupMistakes mistakes() {
        return mistakes;
    }

    PolicyNames names() {
        return names;
    }
}
