package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.convert.support.GenericConversionService;
import org.springframework.util.unit.DataSize;

/**
 * Makes policies of properties. What is written is laid over the defaults key by key, of the policy itself first and of
 * all that it starts from. The constructor of the record gets the values: what a policy can have, what it has by default
 * and what it refuses is said by its record alone.
 */
final class PolicyBinder {

    private final ConfiguredKeys keys;
    private final PlaceholdersResolver placeholders;
    private final StartupMistakes mistakes;
    private final BiConsumer<PolicyKind, String> broken;
    private final Map<PolicyKind, WrittenPolicies> written = new EnumMap<>(PolicyKind.class);
    private final List<ConfigurationPropertySource> layers = new ArrayList<>();
    private final Binder binder; // over the layers of the policy in hand

    /** Throws the first mistake. */
    PolicyBinder(ConfiguredKeys keys, PlaceholdersResolver placeholders) {
        this(keys, placeholders, StartupMistakes.thrownAtOnce(), (kind, name) -> {});
    }

    /**
     * @param broken is told of the policies that cannot be made
     */
    PolicyBinder(
            ConfiguredKeys keys,
            PlaceholdersResolver placeholders,
            StartupMistakes mistakes,
            BiConsumer<PolicyKind, String> broken) {
        this.keys = keys;
        this.placeholders = placeholders;
        this.mistakes = mistakes;
        this.broken = broken;
        GenericConversionService sizes = new GenericConversionService();
        sizes.addConverter(String.class, Long.class, PolicyBinder::bytes);
        this.binder = new Binder(layers, placeholders, sizes);
    }

    /** The only longs in policies are sizes. */
    private static @Nullable Long bytes(String size) {
        return size.isEmpty() ? null : DataSize.parse(size).toBytes();
    }

    /**
     * The policies of a kind by name; one of them is always there, whether written or not. Those that cannot be made are
     * left out: they are mistakes.
     */
    <P extends Record> Map<String, P> bind(PolicyKind kind, P defaults) {
        Target<P> target = Target.of(defaults);
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : written(kind).names()) {
            try {
                P policy = bind(kind, name, target);
                if (policy == null) {
                    broken.accept(kind, name);
                } else {
                    policies.put(name, policy);
                }
            } catch (ResilienceConfigurationException mistake) {
                mistakes.add(mistake);
                broken.accept(kind, name);
            }
        }
        return Collections.unmodifiableMap(policies);
    }

    /** What the policies of a kind are made of. */
    private record Target<P extends Record>(
            Class<P> type, Map<ConfigurationPropertyName, Bindable<?>> keys, Map<String, @Nullable Object> defaults) {

        @SuppressWarnings("unchecked")
        static <P extends Record> Target<P> of(P defaults) {
            Map<ConfigurationPropertyName, Bindable<?>> keys = new LinkedHashMap<>();
            PolicyKeys.types(defaults.getClass())
                    .forEach((key, type) -> keys.put(ConfigurationPropertyName.of(key), Bindable.of(type)));
            return new Target<>((Class<P>) defaults.getClass(), keys, PolicyKeys.values(defaults));
        }
    }

    /** The names of all policies that are written, by kind. */
    Map<PolicyKind, Set<String>> names() {
        Map<PolicyKind, Set<String>> all = new EnumMap<>(PolicyKind.class);
        written.forEach((kind, policies) -> all.put(kind, policies.names()));
        return all;
    }

    private WrittenPolicies written(PolicyKind kind) {
        return written.computeIfAbsent(
                kind,
                key -> new WrittenPolicies(
                        kind, keys, placeholders, kind == PolicyKind.RETRY ? RetryPresets.names() : Set.of()));
    }

    /** The default stands in for a value that cannot be read or is refused, so that the others are checked too. */
    private <P extends Record> @Nullable P bind(PolicyKind kind, String name, Target<P> target) {
        WrittenPolicies policies = written(kind);
        ConfigurationPropertyName property = Objects.requireNonNull(policies.find(name));
        int length = property.getNumberOfElements();
        LenientBinding handler =
                new LenientBinding(keys, placeholders, mistakes, bound -> policies.origin(name, bound.subName(length)));
        Map<String, @Nullable Object> values = values(policies.layers(name), property, target, handler);
        Set<String> refused = new HashSet<>();
        while (true) {
            try {
                P policy = PolicyKeys.create(target.type(), values);
                return refused.isEmpty() && !handler.hasFailed() ? policy : null;
            } catch (BeanInstantiationException failed) {
                InvalidPolicyException invalid = invalid(failed);
                explain(kind, name, invalid, handler);
                if (!refused.add(invalid.key())) {
                    return null;
                }
                values.put(invalid.key(), target.defaults().get(invalid.key()));
                values.computeIfPresent(
                        String.valueOf(invalid.otherKey()),
                        (key, value) -> target.defaults().get(key));
            }
        }
    }

    private Map<String, @Nullable Object> values(
            List<PolicyLayer> written, ConfigurationPropertyName policy, Target<?> target, LenientBinding handler) {
        layers.clear();
        written.forEach(layer -> layers.add(layer.without(handler::isBlank)));
        Map<String, @Nullable Object> values = new HashMap<>(target.defaults());
        target.keys().forEach((key, type) -> {
            if (written.stream().anyMatch(layer -> layer.has(key))) {
                Object value = value(policy.append(key), type, handler);
                if (value != null) {
                    values.put(key.toString(), value);
                }
            }
        });
        return values;
    }

    /** A property that is written with no value, where that is no mistake, leaves the value to the next layer. */
    private @Nullable Object value(ConfigurationPropertyName name, Bindable<?> type, LenientBinding handler) {
        int blanks;
        Object value;
        do {
            blanks = handler.blanks();
            value = binder.bind(name, type, handler).orElse(null);
        } while (handler.blanks() > blanks);
        return value;
    }

    private static InvalidPolicyException invalid(BeanInstantiationException failed) {
        if (failed.getCause() instanceof InvalidPolicyException invalid) {
            return invalid;
        }
        throw failed;
    }

    /** Describes the property that gives a policy the value of a key: its own or one of those that it starts from. */
    String describe(PolicyKind kind, String name, String key, @Nullable Object value) {
        WrittenPolicies policies = written(kind);
        ConfigurationPropertyName origin = policies.origin(name, key);
        String preset = keys.contains(origin) ? null : policies.preset(name);
        return preset == null
                ? value instanceof Collection ? keys.describe(origin) : keys.describe(origin, value)
                : "    Property: " + origin + "\n    Value: " + value + " (of the preset '" + preset + "')";
    }

    private void explain(PolicyKind kind, String name, InvalidPolicyException invalid, LenientBinding handler) {
        ConfigurationPropertyName key = written(kind).origin(name, invalid.key());
        String otherKey = invalid.otherKey();
        ConfigurationPropertyName other =
                otherKey == null ? null : written(kind).origin(name, otherKey);
        ConfigurationPropertyName policy = Objects.requireNonNull(written(kind).find(name));
        if (handler.isUnreadable(policy.append(invalid.key()))
                || (otherKey != null && handler.isUnreadable(policy.append(otherKey)))) {
            return; // compared with what stands in for it
        }
        String reason = subject(key, invalid.value()) + " " + invalid.requirement();
        // the same mistake in every policy that inherits it
        String place = other == null || keys.contains(key) ? key.toString() : invalid.key();
        mistakes.add(
                "refused " + place + " " + other + " " + reason,
                new ResilienceConfigurationException(
                        MistakeKind.VALUES,
                        "The " + kind.id() + " policy '" + name + "' has a value that it cannot have:\n\n"
                                + describe(kind, name, invalid.key(), invalid.value()) + "\n    Reason: " + reason
                                + (otherKey == null
                                        ? ""
                                        : "\n\n" + describe(kind, name, otherKey, invalid.otherValue())),
                        "Change the value of '" + key + "': " + reason + "."
                                + (other == null ? "" : " Or change that of '" + other + "'.")));
    }

    /** What the requirement is said of: the property, or what of its several values is refused. */
    private String subject(ConfigurationPropertyName key, @Nullable Object value) {
        if (value instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).collect(Collectors.joining(", ", "each of ", ""));
        }
        return keys.isJoinedList(key) ? String.valueOf(value) : "it";
    }
}
