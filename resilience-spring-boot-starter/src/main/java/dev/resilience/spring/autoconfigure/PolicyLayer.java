package dev.resilience.spring.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;

/**
 * One of the places that a policy has its values from: what one source says of it or of a policy that it starts from, a
 * preset, or the defaults. It answers under the name of the policy that is bound; the property that it returns tells the
 * name under which the value is written.
 */
final class PolicyLayer implements IterableConfigurationPropertySource {

    private final ConfigurationPropertyName policy;
    private final Collection<ConfigurationPropertyName> keys;
    private final Function<ConfigurationPropertyName, @Nullable ConfigurationProperty> values;
    private final Predicate<ConfigurationPropertyName> hidden;

    /**
     * @param policy the policy that is bound
     * @param keys the keys inside the policy that are known to have values
     * @param values the value of a key, which need not be one of the known ones
     */
    PolicyLayer(
            ConfigurationPropertyName policy,
            Collection<ConfigurationPropertyName> keys,
            Function<ConfigurationPropertyName, @Nullable ConfigurationProperty> values) {
        this(policy, keys, values, name -> false);
    }

    private PolicyLayer(
            ConfigurationPropertyName policy,
            Collection<ConfigurationPropertyName> keys,
            Function<ConfigurationPropertyName, @Nullable ConfigurationProperty> values,
            Predicate<ConfigurationPropertyName> hidden) {
        this.policy = policy;
        this.keys = keys;
        this.values = values;
        this.hidden = hidden;
    }

    /** The values by the names of their keys, without those that are {@code null}. */
    static Map<ConfigurationPropertyName, Object> byName(Map<String, ? extends @Nullable Object> values) {
        Map<ConfigurationPropertyName, Object> byName = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (value != null) {
                byName.put(ConfigurationPropertyName.of(key), value);
            }
        });
        return byName;
    }

    /** Values that are written nowhere. */
    static PolicyLayer of(ConfigurationPropertyName policy, Map<ConfigurationPropertyName, ?> values) {
        return new PolicyLayer(policy, values.keySet(), key -> {
            Object value = values.get(key);
            return value == null ? null : new ConfigurationProperty(policy.append(key), value, null);
        });
    }

    /**
     * The same layer without some of its properties.
     *
     * @param hidden is asked with the name under which a property is bound, and with that under which it is written
     */
    PolicyLayer without(Predicate<ConfigurationPropertyName> names, Predicate<ConfigurationProperty> properties) {
        return new PolicyLayer(
                policy,
                keys,
                key -> {
                    ConfigurationProperty property = values.apply(key);
                    return property == null || properties.test(property) ? null : property;
                },
                names);
    }

    @Override
    public @Nullable ConfigurationProperty getConfigurationProperty(ConfigurationPropertyName name) {
        return !policy.isAncestorOf(name) || hidden.test(name)
                ? null
                : values.apply(name.subName(policy.getNumberOfElements()));
    }

    @Override
    public Stream<ConfigurationPropertyName> stream() {
        return keys.stream().map(policy::append).filter(hidden.negate());
    }
}
