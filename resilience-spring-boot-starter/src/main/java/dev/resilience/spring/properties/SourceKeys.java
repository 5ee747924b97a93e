package dev.resilience.spring.properties;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The names below {@code resilience} in one source, read once: a source that can change goes through all of its keys for
 * each that it is asked for and does not have.
 */
final class SourceKeys implements IterableConfigurationPropertySource {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownKeys.ROOT);

    private final ConfigurationPropertySource source;
    private final Map<ConfigurationPropertyName, Set<ConfigurationPropertyName>> byPolicy = new LinkedHashMap<>();
    private final boolean isCode;
    private final boolean complete;

    SourceKeys(ConfigurationPropertySource source) {
        this.source = source;
        if (source instanceof IterableConfigurationPropertySource iterable) {
            iterable.stream()
                    .filter(ROOT::isAncestorOf)
                    .forEach(name -> byPolicy.computeIfAbsent(policy(name), key -> new LinkedHashSet<>())
                            .add(name));
        }
        this.isCode = source instanceof PoliciesInCode;
        boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        this.complete = source instanceof IterableConfigurationPropertySource
                && !isCode // has more and more
                && (byPolicy.isEmpty() || !isEnvironment); // a variable may be read under several names
    }

    private static ConfigurationPropertyName policy(ConfigurationPropertyName name) {
        return name.chop(KnownKeys.POLICY_KEY);
    }

    /** Whether the property is written, as one text or as elements of a list. */
    boolean has(ConfigurationPropertyName name) {
        for (ConfigurationPropertyName known : byPolicy.getOrDefault(policy(name), Set.of())) {
            if (name.equals(known) || name.isParentOf(known)) {
                return true;
            }
        }
        return !complete
                && (getConfigurationProperty(name) != null
                        || (!isCode && getConfigurationProperty(name.append("[0]")) != null));
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        return complete && !byPolicy.getOrDefault(policy(name), Set.of()).contains(name)
                ? null
                : source.getConfigurationProperty(name);
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return byPolicy.values().stream().flatMap(Collection::stream);
    }

    @Override
    public @Nullable Object getUnderlyingSource() {
        return source.getUnderlyingSource();
    }
}
