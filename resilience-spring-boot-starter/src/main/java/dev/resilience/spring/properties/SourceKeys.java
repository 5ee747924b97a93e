package dev.resilience.spring.properties;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.RandomValuePropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The names below {@code resilience} in one source, read once: a source that can change goes through all of its keys for
 * each that it is asked for and does not have.
 */
final class SourceKeys implements IterableConfigurationPropertySource {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(KnownKeys.ROOT);

    private final ConfigurationPropertySource source;
    private final Set<ConfigurationPropertyName> names = new LinkedHashSet<>();
    private final Set<ConfigurationPropertyName> parents = new HashSet<>();
    private final Map<ConfigurationPropertyName, Set<ConfigurationPropertyName>> keysOfPolicies = new HashMap<>();
    private final boolean isCode;
    private final boolean complete;

    SourceKeys(ConfigurationPropertySource source) {
        this.source = source;
        if (source instanceof IterableConfigurationPropertySource iterable) {
            iterable.stream().filter(ROOT::isAncestorOf).forEach(names::add);
        }
        for (ConfigurationPropertyName name : names) {
            parents.add(name.getParent());
            if (name.getNumberOfElements() > KnownKeys.POLICY_KEY) {
                ConfigurationPropertyName key = name.subName(KnownKeys.POLICY_KEY);
                Set<ConfigurationPropertyName> keys =
                        keysOfPolicies.computeIfAbsent(name.chop(KnownKeys.POLICY_KEY), policy -> new HashSet<>());
                keys.add(key);
                keys.add(key.getParent());
            }
        }
        this.isCode = source instanceof PoliciesInCode;
        boolean isEnvironment = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        boolean hasNames = source instanceof IterableConfigurationPropertySource
                && !isCode // has more and more
                && (names.isEmpty() || !isEnvironment); // a variable may be read under several names
        this.complete = hasNames || source.getUnderlyingSource() instanceof RandomValuePropertySource;
    }

    /** Whether nothing is written here, nor ever will be. */
    boolean isEmpty() {
        return complete && names.isEmpty();
    }

    /** Whether the property is written, as one text or as elements of a list. */
    boolean has(ConfigurationPropertyName name) {
        return names.contains(name)
                || parents.contains(name)
                || (!complete
                        && (getConfigurationProperty(name) != null
                                || (!isCode && getConfigurationProperty(name.append("[0]")) != null)));
    }

    /** Whether anything may be written below a policy. */
    boolean mayHave(ConfigurationPropertyName policy) {
        return complete
                ? keysOfPolicies.containsKey(policy)
                : !(source instanceof PoliciesInCode code) || code.hasValuesOf(policy);
    }

    /** Whether a key of a policy is written. */
    boolean has(ConfigurationPropertyName policy, ConfigurationPropertyName key) {
        return complete ? keysOfPolicies.getOrDefault(policy, Set.of()).contains(key) : has(policy.append(key));
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        return complete && !names.contains(name) ? null : source.getConfigurationProperty(name);
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return names.stream();
    }

    @Override
    public @Nullable Object getUnderlyingSource() {
        return source.getUnderlyingSource();
    }
}
