package dev.resilience.spring.properties;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The values that are written for a policy and for what it starts from. */
record PolicyChain(PolicyInheritance policies, List<Link> links) {

    private static final String PRESET = "preset";

    /**
     * The policy itself or one that it starts from.
     *
     * @param property where it is written; {@code null} for a preset
     * @param sources those that may say something of it
     */
    private record Link(String name, @Nullable ConfigurationPropertyName property, List<SourceKeys> sources) {

        boolean has(ConfigurationPropertyName key) {
            return property != null && sources.stream().anyMatch(source -> source.has(property, key));
        }
    }

    static PolicyChain of(PolicyInheritance policies, String name, ConfiguredProperties keys) {
        List<Link> links = new ArrayList<>();
        for (String link : policies.chain(name)) {
            ConfigurationPropertyName property = policies.find(link);
            links.add(new Link(link, property, property == null ? List.of() : keys.sourcesOf(property)));
        }
        return new PolicyChain(policies, links);
    }

    /** What the first link says that has the key; one that leaves it empty says nothing. */
    @Nullable
    Object value(ConfigurationPropertyName key, Bindable<?> type, Binder binder, LenientBinding handler) {
        for (Link link : links) {
            ConfigurationPropertyName policy = link.property();
            String preset = policy == null ? policies.preset(link.name(), key.toString()) : null;
            Object value = null;
            if (policy != null && link.has(key)) {
                ConfigurationPropertyName property = policy.append(key);
                value = binder.bind(property, type, handler).orElse(null);
                if (handler.isUnreadable(property)) {
                    return null;
                }
            } else if (preset != null) {
                value = new Binder(new MapConfigurationPropertySource(Map.of(PRESET, preset)))
                        .bind(PRESET, type)
                        .orElse(null);
            }
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
