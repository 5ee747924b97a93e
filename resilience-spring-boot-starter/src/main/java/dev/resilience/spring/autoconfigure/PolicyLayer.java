package dev.resilience.spring.autoconfigure;

import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/**
 * One of the places that a policy has its values from: what one source says of it or of a policy that it starts from, or
 * a preset. It answers under the name of the policy that is bound; the property that it returns tells the name under
 * which the value is written.
 *
 * @param policy the policy that is bound
 * @param keys the keys inside the policy that are known to have values
 * @param values the value of a key, which need not be one of the known ones
 */
record PolicyLayer(
        ConfigurationPropertyName policy,
        Collection<ConfigurationPropertyName> keys,
        Function<ConfigurationPropertyName, @Nullable ConfigurationProperty> values)
        implements IterableConfigurationPropertySource {

    /** Values that are written nowhere. */
    static PolicyLayer of(ConfigurationPropertyName policy, Map<ConfigurationPropertyName, ?> values) {
        return new PolicyLayer(policy, values.keySet(), key -> {
            Object value = values.get(key);
            return value == null ? null : new ConfigurationProperty(policy.append(key), value, null);
        });
    }

    /** The same layer without the properties that are refused. */
    PolicyLayer without(Predicate<ConfigurationProperty> refused) {
        return new PolicyLayer(policy, keys, key -> {
            ConfigurationProperty property = values.apply(key);
            return property == null || refused.test(property) ? null : property;
        });
    }

    /** Whether a key has a value, as one text or as elements of a list. */
    boolean has(ConfigurationPropertyName key) {
        for (ConfigurationPropertyName known : keys) {
            if (key.equals(known) || key.isParentOf(known)) {
                return true;
            }
        }
        return values.apply(key) != null || values.apply(key.append("[0]")) != null;
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        return policy.isAncestorOf(name) ? values.apply(name.subName(policy.getNumberOfElements())) : null;
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return keys.stream().map(policy::append);
    }
}
