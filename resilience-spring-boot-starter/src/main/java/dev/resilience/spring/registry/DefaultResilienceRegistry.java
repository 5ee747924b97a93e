package dev.resilience.spring.registry;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.NamedPolicies;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.PolicyNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * The registry of an application. Creates the live objects of all policies that are configured, and those that annotations
 * or code ask for later.
 */
public final class DefaultResilienceRegistry implements ResilienceRegistry, NamedPolicies.Late, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DefaultResilienceRegistry.class);
    private static final LogLine REFRESH_REFUSED = LogLine.warn("refresh_refused");

    private static final int LIVE_OBJECT = 2;

    /** What every live object works with. */
    public final Environment environment;

    volatile PolicyBinder binder; // of what was configured last
    final PolicyNames names;
    final ApplicationContext beans;
    final StartupWarnings warnings;
    final StartupProblems problems;
    final LiveRegistry live;

    final int maxCreated;
    final PolicyChanges changes;

    /** Where what is created because a policy of code's needs it is noted: the budget of a retry. */
    @Nullable
    List<PolicyInstances.Created> beingCreated;

    private final Kinds kinds;
    final List<Kind<?, ?>> order;
    private final Map<Kind<?, ?>, PolicyInstances<?, ?>> instances = new HashMap<>();
    private final List<PolicyInstances<?, ?>> byNeed = new ArrayList<>(); // a kind stands behind those that it needs
    private final Map<Class<?>, PolicyInstances<?, ?>> byType = new LinkedHashMap<>();

    /**
     * @param order of the layers, the outermost first
     * @param names gets those of policies that cannot be created: they are problems, and left out
     * @param beans asked for what live objects need
     * @param maxCreated how many policies of a kind code creates
     * @param maxThreads how many threads a policy has for what goes on after a wait; {@code null} for the library's choice
     */
    public DefaultResilienceRegistry(
            Kinds kinds,
            List<Kind<?, ?>> order,
            PolicyBinder binder,
            PolicyNames names,
            Environment environment,
            ApplicationContext beans,
            StartupWarnings warnings,
            StartupProblems problems,
            int maxCreated,
            @Nullable Integer maxThreads) {
        this.kinds = kinds;
        this.order = order;
        this.binder = binder;
        this.names = names;
        this.environment = environment;
        this.beans = beans;
        this.warnings = warnings;
        this.problems = problems;
        this.changes = new PolicyChanges(environment);
        this.maxCreated = maxCreated;
        this.live = new LiveRegistry(environment.time(), maxThreads);
        kinds.all().forEach(kind -> live.add(kind.id(), kind));
        for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
            Class<?> type = ResolvableType.forClass(ConfiguredKind.class, kind.getClass())
                    .getGeneric(LIVE_OBJECT)
                    .resolve();
            PolicyInstances<?, ?> created = instances(kind);
            if (type != null) {
                byType.putIfAbsent(type, created);
            }
        }
    }

    public Kinds kinds() {
        return kinds;
    }

    /** The live objects by kind, for the library itself. */
    public LiveRegistry live() {
        return live;
    }

    public PolicyChanges changes() {
        return changes;
    }

    @SuppressWarnings("unchecked") // put under its own kind
    <L extends LiveObject<?>> KindContext.Policies<L> instances(Class<? extends ConfiguredKind<?, ?, L>> kind) {
        return (KindContext.Policies<L>) instances(kinds.get(kind));
    }

    /** Those of a kind, which are created when they are asked for first: a kind may need those of another one. */
    private PolicyInstances<?, ?> instances(ConfiguredKind<?, ?, ?> kind) {
        PolicyInstances<?, ?> found = instances.get(kind);
        if (found == null) {
            found = new PolicyInstances<>(this, kind);
            instances.put(kind, found);
            found.createAll();
            byNeed.add(found);
        }
        return found;
    }

    @Override
    @SuppressWarnings("unchecked") // of the kind
    public synchronized <L extends LiveObject<?>> @Nullable L create(ConfiguredKind<?, ?, L> kind, String name) {
        return (L) instances((ConfiguredKind<?, ?, ?>) kind).createLate(name);
    }

    /**
     * Takes what is configured now. Nothing changes if any of it is wrong.
     *
     * @param configured reads it, and reports what cannot be
     */
    public void refresh(Function<StartupProblems, PolicyBinder> configured) {
        try {
            StartupProblems found = new StartupProblems();
            PolicyBinder now = configured.apply(found);
            List<Runnable> changes =
                    byNeed.stream().map(each -> each.refresh(now)).toList();
            found.throwIfAny();
            binder = now;
            changes.forEach(Runnable::run);
        } catch (ResilienceConfigurationException problems) {
            REFRESH_REFUSED
                    .in(log)
                    .log(
                            "All policies stay as they were, because the new configuration is wrong:\n\n{}\n\n{}",
                            problems.getMessage(),
                            problems.action());
        }
    }

    void refuseSwitch(ConfiguredKind<?, ?, ?> kind, String name) {
        boolean isEnabled = binder.isEnabled(kind, name);
        if (isEnabled != live.isEnabled(kind.id(), name)) {
            throw new InvalidPolicyException("enabled", isEnabled, "takes effect with the next restart");
        }
    }

    void end(String kind, String name) {
        changes.forget(live.<LiveObject<?>>ofKind(kind).get(name));
        live.remove(kind, name);
    }

    List<Layer> inOrder(Map<String, ? extends Layer> byKind) {
        return order.stream()
                .filter(layer -> byKind.containsKey(layer.id()))
                .<Layer>map(layer -> byKind.get(layer.id()))
                .toList();
    }

    /** With the application, after what uses it. */
    @Override
    public void close() {
        changes.close();
        live.close();
    }

    @Override
    public <L extends LiveObject<?>> L get(Class<L> type, String name) {
        return type.cast(of(type).get(name));
    }

    @Override
    public <L extends LiveObject<?>> Map<String, L> all(Class<L> type) {
        return live.ofKind(of(type).id());
    }

    @Override
    public <L extends LiveObject<?>> L getOrCreate(Class<L> type, String name, String template) {
        return type.cast(of(type).getOrCreate(name, template));
    }

    @Override
    public <P extends Record, L extends LiveObject<P>> L getOrCreate(Class<L> type, String name, P policy) {
        return this.<P, L>typed(type).getOrCreate(name, () -> policy);
    }

    @Override
    public boolean remove(Class<? extends LiveObject<?>> type, String name) {
        return of(type).remove(name);
    }

    @Override
    public <P extends Record, L extends LiveObject<P>> L reconfigure(Class<L> type, String name, P policy) {
        return this.<P, L>typed(type).reconfigure(name, policy);
    }

    @Override
    public <L extends LiveObject<?>> L reconfigure(Class<L> type, String name, Map<String, ?> changed) {
        return type.cast(of(type).reconfigure(name, changed));
    }

    @Override
    public Pipeline pipeline(String name) {
        List<LiveObject<?>> all = order.stream()
                .filter(ConfiguredKind.class::isInstance)
                .flatMap(kind -> live.<LiveObject<?>>ofKind(kind.id()).values().stream())
                .filter(Layer.class::isInstance)
                .toList();
        List<Layer> layers = all.stream()
                .filter(one -> one.name().equals(name))
                .map(Layer.class::cast)
                .toList();
        if (layers.isEmpty()) {
            throw unknown("policy", name, all.stream().map(LiveObject::name).collect(Collectors.toSet()));
        }
        return Pipeline.of(layers, environment.carrier());
    }

    @Override
    public Pipeline outermostFirst(Layer... layers) {
        return Pipeline.of(List.of(layers), environment.carrier());
    }

    @Override
    public <E extends ResilienceEvent> ResilienceRegistry onEvent(Class<E> type, Consumer<? super E> listener) {
        environment.events().add(type, listener);
        return this;
    }

    @Override
    public void reset() {
        live.reset();
    }

    private PolicyInstances<?, ?> of(Class<? extends LiveObject<?>> type) {
        PolicyInstances<?, ?> found = byType.get(type);
        if (found == null) {
            String types = byType.keySet().stream().map(Class::getName).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(
                    "No kind has live objects of " + type.getName() + ". There are: " + types);
        }
        return found;
    }

    @SuppressWarnings("unchecked") // entered under the type of its live objects
    private <P extends Record, L extends LiveObject<P>> PolicyInstances<P, L> typed(Class<L> type) {
        return (PolicyInstances<P, L>) of(type);
    }

    static IllegalArgumentException unknown(String what, @Nullable String name, Set<String> known) {
        return new IllegalArgumentException(
                "There is no " + what + " '" + name + "'. " + NearestNames.suggest(String.valueOf(name), known));
    }
}
