package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindMethod;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.convert.support.GenericConversionService;
import org.springframework.util.unit.DataSize;

/**
 * Makes policies of properties. Boot's binder calls the constructor of the policy's record with the values of all that
 * the policy starts from, laid over each other key by key with the defaults at the bottom: what a policy can have, what
 * it has by default and what it refuses is said by the record alone.
 */
final class PolicyBinder {

    private final ConfiguredKeys keys;
    private final PlaceholdersResolver placeholders;
    private final StartupMistakes mistakes;
    private final BiConsumer<PolicyKind, String> broken;
    private final Map<PolicyKind, WrittenPolicies> written = new LinkedHashMap<>();
    private final List<ConfigurationPropertySource> layers = new ArrayList<>();
    private final Binder binder; // one for all policies, because it remembers the constructors

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
        Map<ConfigurationPropertyName, Object> lowest = PolicyLayer.byName(PolicyKeys.values(defaults));
        @SuppressWarnings("unchecked")
        Bindable<P> target = Bindable.of((Class<P>) defaults.getClass()).withBindMethod(BindMethod.VALUE_OBJECT);
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : written(kind).names()) {
            try {
                P policy = bind(kind, name, target, lowest);
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

    /** The names of all policies that are written, by kind. */
    Map<PolicyKind, Set<String>> names() {
        Map<PolicyKind, Set<String>> all = new LinkedHashMap<>();
        written.forEach((kind, policies) -> all.put(kind, policies.names()));
        return all;
    }

    private WrittenPolicies written(PolicyKind kind) {
        return written.computeIfAbsent(kind, key -> new WrittenPolicies(kind, keys, placeholders));
    }

    /** In place of a value that cannot be read or is refused stands the default, so that the others are checked too. */
    private <P extends Record> @Nullable P bind(
            PolicyKind kind, String name, Bindable<P> target, Map<ConfigurationPropertyName, Object> defaults) {
        WrittenPolicies policies = written(kind);
        ConfigurationPropertyName property = Objects.requireNonNull(policies.find(name));
        int length = property.getNumberOfElements();
        LenientBinding handler = new LenientBinding(
                keys,
                placeholders,
                mistakes,
                bound -> property.isAncestorOf(bound) ? policies.origin(name, bound.subName(length)) : bound);
        List<PolicyLayer> places = policies.layers(name);
        Set<ConfigurationPropertyName> refused = new HashSet<>();
        P policy = null;
        int failures;
        do {
            failures = refused.size() + handler.failures();
            Set<ConfigurationPropertyName> hidden = Stream.concat(refused.stream(), handler.unreadable())
                    .map(PolicyBinder::list)
                    .collect(Collectors.toSet());
            layers.clear();
            places.forEach(
                    place -> layers.add(place.without(bound -> hidden.contains(list(bound)), handler::isBlank)));
            layers.add(PolicyLayer.of(property, defaults));
            try {
                policy = binder.bind(property, target, handler).orElse(null);
            } catch (BindException failed) {
                InvalidPolicyException invalid = invalid(failed);
                explain(kind, name, invalid, handler);
                refused.add(property.append(invalid.key()));
                if (invalid.otherKey() != null) {
                    refused.add(property.append(invalid.otherKey()));
                }
            }
        } while (refused.size() + handler.failures() > failures);
        return refused.isEmpty() && !handler.hasFailed() ? policy : null;
    }

    /** A list is refused as a whole. */
    private static ConfigurationPropertyName list(ConfigurationPropertyName name) {
        return name.isLastElementIndexed() ? name.getParent() : name;
    }

    private static InvalidPolicyException invalid(BindException failed) {
        if (NestedExceptionUtils.getRootCause(failed) instanceof InvalidPolicyException invalid) {
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
