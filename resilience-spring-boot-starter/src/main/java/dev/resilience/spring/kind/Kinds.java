package dev.resilience.spring.kind;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;

/** All kinds of an application: those of the library first, then its own. */
public final class Kinds implements AopInfrastructureBean {

    private final List<Kind<?, ?>> all;
    private final List<Kind<?, ?>> layers;
    private final List<ConfiguredKind<?, ?, ?>> configured = new ArrayList<>();
    private final List<Class<? extends Annotation>> annotations = new ArrayList<>();

    /** @throws ResilienceConfigurationException if two have one name, or if the place of one cannot be found */
    public Kinds(List<Kind<?, ?>> all) {
        this.all = List.copyOf(all);
        Map<String, Kind<?, ?>> byId = new HashMap<>();
        List<Kind<?, ?>> protecting = new ArrayList<>();
        for (Kind<?, ?> kind : all) {
            Kind<?, ?> other = byId.put(kind.id(), kind);
            if (other != null) {
                throw problem("There are 2 kinds of the name '" + kind.id() + "': " + other + " and " + kind);
            }
            if (kind instanceof ConfiguredKind<?, ?, ?> found) {
                configured.add(found);
            }
            if (kind.annotation() != null) {
                protecting.add(kind);
            }
        }
        this.layers = List.copyOf(inOrder(protecting));
        layers.forEach(kind -> annotations.add(Objects.requireNonNull(kind.annotation())));
    }

    /** All kinds, in the order in which they are shown. */
    public List<Kind<?, ?>> all() {
        return all;
    }

    /** The kinds whose policies are configured by name. */
    public List<ConfiguredKind<?, ?, ?>> configured() {
        return configured;
    }

    /** The kinds that protect methods, in the default order, the outermost first. */
    public List<Kind<?, ?>> layers() {
        return layers;
    }

    /** The annotations of the layers, in their order. */
    public List<Class<? extends Annotation>> annotations() {
        return annotations;
    }

    /** The configured kind of an id, or {@code null} if there is none. */
    public @Nullable ConfiguredKind<?, ?, ?> find(String id) {
        return configured.stream()
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** The kind of a class. */
    public <K extends Kind<?, ?>> K get(Class<K> type) {
        for (Kind<?, ?> kind : all) {
            if (type.isInstance(kind)) {
                return type.cast(kind);
            }
        }
        throw new IllegalStateException("There is no kind " + type.getName());
    }

    /** Each directly inside the layer that it names; of several that name the same one, the last stands closest to it. */
    private static List<Kind<?, ?>> inOrder(List<Kind<?, ?>> kinds) {
        List<Kind<?, ?>> ordered = new ArrayList<>();
        addInside(null, kinds, ordered);
        List<String> names = kinds.stream().map(Kind::layerName).toList();
        for (Kind<?, ?> kind : kinds) {
            if (!ordered.contains(kind)) {
                throw problem("The layer of the kind '" + kind.id() + "' stands inside '" + kind.inside()
                        + "', which has no place. " + NearestNames.suggest(String.valueOf(kind.inside()), names));
            }
        }
        return ordered;
    }

    private static void addInside(@Nullable String layer, List<Kind<?, ?>> kinds, List<Kind<?, ?>> ordered) {
        for (int i = kinds.size() - 1; i >= 0; i--) {
            Kind<?, ?> kind = kinds.get(i);
            if (Objects.equals(kind.inside(), layer)) {
                ordered.add(kind);
                addInside(kind.layerName(), kinds, ordered);
            }
        }
    }

    private static ResilienceConfigurationException problem(String description) {
        return new ResilienceConfigurationException(
                description, "Correct the beans of the type " + Kind.class.getName());
    }
}
