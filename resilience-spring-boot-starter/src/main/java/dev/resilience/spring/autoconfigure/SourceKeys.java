package dev.resilience.spring.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
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
final class SourceKeys {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownKeys.ROOT);

    private final ConfigurationPropertySource source;
    private final Map<ConfigurationPropertyName, Set<ConfigurationPropertyName>> byPolicy = new LinkedHashMap<>();
    private final boolean complete;

    SourceKeys(ConfigurationPropertySource source) {
        this.source = source;
        if (source instanceof IterableConfigurationPropertySource iterable) {
            iterable.stream()
                    .filter(ROOT::isAncestorOf)
                    .forEach(name -> byPolicy.computeIfAbsent(policy(name), key -> new LinkedHashSet<>())
                            .add(name));
        }
        boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        this.complete = source instanceof IterableConfigurationPropertySource
                && (byPolicy.isEmpty() || !isEnvironment); // a variable may be read under several names
    }

    private static ConfigurationPropertyName policy(ConfigurationPropertyName name) {
        return name.chop(KnownKeys.POLICY_KEY);
    }

    ConfigurationPropertySource source() {
        return source;
    }

    Stream<ConfigurationPropertyName> names() {
        return byPolicy.values().stream().flatMap(Collection::stream);
    }

    @Nullable
    ConfigurationProperty find(ConfigurationPropertyName name) {
        return complete && !byPolicy.getOrDefault(policy(name), Set.of()).contains(name)
                ? null
                : source.getConfigurationProperty(name);
    }

    /** What the source says of a policy, under the name of another one; {@code null} if it says nothing. */
    @Nullable
    PolicyLayer layer(ConfigurationPropertyName written, ConfigurationPropertyName policy) {
        Set<ConfigurationPropertyName> names = byPolicy.getOrDefault(written, Set.of());
        if (complete && names.isEmpty()) {
            return null;
        }
        List<ConfigurationPropertyName> keys = names.stream()
                .filter(written::isAncestorOf)
                .map(name -> name.subName(written.getNumberOfElements()))
                .toList();
        return new PolicyLayer(policy, keys, key -> find(written.append(key)));
    }
}
