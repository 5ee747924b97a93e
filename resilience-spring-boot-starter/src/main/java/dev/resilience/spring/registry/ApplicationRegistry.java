package dev.resilience.spring.registry;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** The registry of an application. */
final class ApplicationRegistry implements ResilienceRegistry {

    private static final int LIVE_OBJECT = 2;

    private final RegistryFactory factory;
    private final LiveRegistry live;
    private final PolicyChanges changes;
    private final CreatedPolicies created;
    private final List<Kind<?, ?>> order;
    private final Map<Class<?>, ConfiguredKind<?, ?, ?>> byType = new LinkedHashMap<>();

    /**
     * @param order of the layers, the outermost first
     * @param mostCreated how many policies of a kind code makes
     */
    ApplicationRegistry(
            RegistryFactory factory,
            LiveRegistry live,
            PolicyChanges changes,
            List<Kind<?, ?>> order,
            int mostCreated) {
        this.factory = factory;
        this.live = live;
        this.changes = changes;
        this.created = new CreatedPolicies(factory, live, mostCreated);
        this.order = order;
        for (ConfiguredKind<?, ?, ?> kind : factory.kinds().configured()) {
            Class<?> type = ResolvableType.forClass(ConfiguredKind.class, kind.getClass())
                    .getGeneric(LIVE_OBJECT)
                    .resolve();
            if (type != null) {
                byType.putIfAbsent(type, kind);
            }
        }
    }

    @Override
    public <L extends LiveObject<?>> L get(Class<L> type, String name) {
        return get(kind(type), name);
    }

    private <L extends LiveObject<?>> L get(ConfiguredKind<?, ?, L> kind, String name) {
        Map<String, L> all = live.ofKind(kind.id());
        L found = all.get(name);
        if (found == null) {
            throw unknown(kind.id() + " policy", name, all.keySet());
        }
        return found;
    }

    @Override
    public <L extends LiveObject<?>> Map<String, L> all(Class<L> type) {
        return live.ofKind(kind(type).id());
    }

    @Override
    public <L extends LiveObject<?>> L getOrCreate(Class<L> type, String name, String template) {
        return type.cast(likeTemplate(anyKind(type), name, template));
    }

    /** Of a kind whose policies have a type of their own, which the caller need not know. */
    private <P extends Record, L extends LiveObject<P>> L likeTemplate(
            ConfiguredKind<?, P, L> kind, String name, String template) {
        return created.getOrCreate(kind, name, () -> get(kind, template).policy());
    }

    @Override
    public <P extends Record, L extends LiveObject<P>> L getOrCreate(Class<L> type, String name, P policy) {
        return created.getOrCreate(typedKind(type), name, () -> policy);
    }

    @Override
    public boolean remove(Class<? extends LiveObject<?>> type, String name) {
        return created.remove(kind(type), name);
    }

    @Override
    public <P extends Record, L extends LiveObject<P>> L reconfigure(Class<L> type, String name, P policy) {
        ConfiguredKind<?, P, L> kind = typedKind(type);
        L found = get(kind, name);
        changes.change(kind, found, before -> policy, "code");
        return found;
    }

    @Override
    public <L extends LiveObject<?>> L reconfigure(Class<L> type, String name, Map<String, ?> changed) {
        change(anyKind(type), name, changed);
        return get(type, name);
    }

    private <P extends Record, L extends LiveObject<P>> void change(
            ConfiguredKind<?, P, L> kind, String name, Map<String, ?> changed) {
        changes.change(kind, get(kind, name), changed, "code");
    }

    @Override
    public Pipeline pipeline(String name) {
        List<Layer> layers = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (Kind<?, ?> kind : order) {
            if (kind instanceof ConfiguredKind<?, ?, ?>) {
                Map<String, LiveObject<?>> all = live.ofKind(kind.id());
                all.values().stream().filter(Layer.class::isInstance).forEach(one -> names.add(one.name()));
                if (all.get(name) instanceof Layer layer) {
                    layers.add(layer);
                }
            }
        }
        if (layers.isEmpty()) {
            throw unknown("policy", name, names);
        }
        return Pipeline.of(layers, factory.carrier());
    }

    @Override
    public Pipeline outermostFirst(Layer... layers) {
        return Pipeline.of(List.of(layers), factory.carrier());
    }

    @Override
    public <E extends ResilienceEvent> ResilienceRegistry onEvent(Class<E> type, Consumer<? super E> listener) {
        factory.events().add(type, listener);
        return this;
    }

    @Override
    public void reset() {
        live.reset();
    }

    @SuppressWarnings("unchecked") // entered under the type of its live objects
    private <L extends LiveObject<?>> ConfiguredKind<?, ?, L> kind(Class<L> type) {
        ConfiguredKind<?, ?, ?> kind = byType.get(type);
        if (kind == null) {
            throw new IllegalArgumentException("No kind has live objects of " + type.getName() + ". There are: "
                    + byType.keySet().stream().map(Class::getName).collect(Collectors.joining(", ")));
        }
        return (ConfiguredKind<?, ?, L>) kind;
    }

    @SuppressWarnings("unchecked") // as in kind(type)
    private <P extends Record, L extends LiveObject<P>> ConfiguredKind<?, P, L> typedKind(Class<L> type) {
        return (ConfiguredKind<?, P, L>) kind(type);
    }

    /** The type of the policies is not known, but is that of the kind. */
    private ConfiguredKind<?, ?, ?> anyKind(Class<? extends LiveObject<?>> type) {
        return kind(type);
    }

    private static IllegalArgumentException unknown(String what, @Nullable String name, Set<String> known) {
        return new IllegalArgumentException(
                "There is no " + what + " '" + name + "'. " + NearestNames.suggest(String.valueOf(name), known));
    }
}
