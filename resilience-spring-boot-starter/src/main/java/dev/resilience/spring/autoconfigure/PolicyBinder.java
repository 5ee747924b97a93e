package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * Makes policies of properties. A policy that starts from others is the first of them bound onto fresh defaults, then
 * the next bound over it, and so on: Boot's binder does the merging, key by key, so that no key can be forgotten.
 */
final class PolicyBinder {

    private final Binder binder;
    private final ConfiguredKeys keys;
    private final Map<String, ConfigurationPropertySource> retryPresets = RetryPresets.sources();

    PolicyBinder(ConfiguredKeys keys, PlaceholdersResolver placeholders) {
        this.binder = keys.binder(placeholders);
        this.keys = keys;
    }

    /** All policies of a kind by name; one of them is always there, whether written or not. */
    <P, T extends PolicyProperties<P>> Map<String, P> bind(PolicyKind kind, Class<T> type, Supplier<T> defaults) {
        WrittenPolicies written = written(kind);
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : written.names()) {
            T properties = defaults.get();
            bind(written, name, Bindable.of(type).withExistingValue(properties));
            try {
                policies.put(name, properties.toPolicy());
            } catch (InvalidPolicyException invalid) {
                throw explain(kind, name, written.origin(name, invalid.key()), invalid);
            }
        }
        return Collections.unmodifiableMap(policies);
    }

    private WrittenPolicies written(PolicyKind kind) {
        return new WrittenPolicies(kind, keys, binder, kind == PolicyKind.RETRY ? retryPresets.keySet() : Set.of());
    }

    private void bind(WrittenPolicies written, String name, Bindable<?> target) {
        List<String> chain = written.chain(name);
        for (int i = chain.size() - 1; i >= 0; i--) {
            ConfigurationPropertyName policy = written.find(chain.get(i));
            ConfigurationPropertySource preset = retryPresets.get(chain.get(i));
            if (policy != null) {
                binder.bind(policy, target);
            } else if (preset != null) {
                new Binder(preset).bind(RetryPresets.PREFIX, target);
            }
        }
    }

    /** Describes the property that gives a policy the value of a key: its own or one of those that it starts from. */
    String describe(PolicyKind kind, String name, String key, Object value) {
        return keys.describe(written(kind).origin(name, key), value);
    }

    private ResilienceConfigurationException explain(
            PolicyKind kind, String name, ConfigurationPropertyName key, InvalidPolicyException invalid) {
        String reason = (keys.isJoinedList(key) ? invalid.value() : "it") + " " + invalid.requirement();
        return new ResilienceConfigurationException(
                "The " + kind.id() + " policy '" + name + "' has a value that it cannot have:\n\n"
                        + keys.describe(key, invalid.value()) + "\n    Reason: " + reason,
                "Change the value of '" + key + "': " + reason + ".");
    }
}
