package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Makes policies of properties. A policy that starts from others is the first of them bound onto fresh defaults, then
 * the next bound over it, and so on: Boot's binder does the merging, key by key, so that no key can be forgotten.
 */
final class PolicyBinder {

    private final Binder binder;
    private final ConfiguredKeys keys;
    private final PlaceholdersResolver placeholders;
    private final StartupMistakes mistakes;
    private final BiConsumer<PolicyKind, String> broken;
    private final Map<PolicyKind, WrittenPolicies> written = new LinkedHashMap<>();

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
        this.binder = keys.binder(placeholders);
        this.keys = keys;
        this.placeholders = placeholders;
        this.mistakes = mistakes;
        this.broken = broken;
    }

    /**
     * The policies of a kind by name; one of them is always there, whether written or not. Those that cannot be made are
     * left out: they are mistakes.
     */
    <P, T extends PolicyProperties<P>> Map<String, P> bind(PolicyKind kind, Class<T> type, Supplier<T> defaults) {
        return bind(kind, name -> bind(kind, name, type, defaults));
    }

    /** As {@link #bind(PolicyKind, Class, Supplier)}, for a kind whose policy is bound component by component. */
    Map<String, Record> bindRecords(PolicyKind kind) {
        return bind(kind, name -> bindRecord(kind, name));
    }

    private <P> Map<String, P> bind(PolicyKind kind, Function<String, @Nullable P> binding) {
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : written(kind).names()) {
            try {
                P policy = binding.apply(name);
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

    private <P, T extends PolicyProperties<P>> @Nullable P bind(
            PolicyKind kind, String name, Class<T> type, Supplier<T> defaults) {
        T properties = defaults.get();
        LenientBinding handler = new LenientBinding(keys, placeholders, mistakes);
        bind(written(kind), name, Bindable.of(type).withExistingValue(properties), handler);
        P policy = check(kind, name, properties, defaults, handler);
        return handler.hasFailed() ? null : policy;
    }

    private @Nullable Record bindRecord(PolicyKind kind, String name) {
        LenientBinding handler = new LenientBinding(keys, placeholders, mistakes);
        RecordComponent[] components = kind.policyType().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            ConfigurationPropertyName key = written(kind).origin(name, KebabCase.of(components[i].getName()));
            ResolvableType type = ResolvableType.forType(components[i].getGenericType());
            Object standing = ReflectionUtils.invokeMethod(components[i].getAccessor(), kind.defaultPolicy());
            values[i] = binder.bind(key, Bindable.of(type), handler).orElse(standing);
        }
        try {
            return handler.hasFailed() ? null : make(kind.policyType(), values);
        } catch (InvalidPolicyException invalid) {
            explain(kind, name, invalid, handler);
            return null;
        }
    }

    private static Record make(Class<? extends Record> type, Object... values) {
        try {
            return BeanUtils.instantiateClass(BeanUtils.getResolvableConstructor(type), values);
        } catch (BeanInstantiationException failed) {
            if (failed.getCause() instanceof InvalidPolicyException invalid) {
                throw invalid;
            }
            throw failed;
        }
    }

    private WrittenPolicies written(PolicyKind kind) {
        return written.computeIfAbsent(kind, key -> new WrittenPolicies(kind, keys, binder));
    }

    private void bind(WrittenPolicies written, String name, Bindable<?> target, LenientBinding handler) {
        List<String> chain = written.chain(name);
        for (int i = chain.size() - 1; i >= 0; i--) {
            ConfigurationPropertyName policy = written.find(chain.get(i));
            Map<String, String> preset = written.presetOf(chain.get(i));
            if (policy != null) {
                binder.bind(policy, target, handler);
            } else if (preset != null) {
                bindPreset(preset, target);
            }
        }
    }

    private static void bindPreset(Map<String, String> preset, Bindable<?> target) {
        Map<String, String> properties = new LinkedHashMap<>();
        preset.forEach((key, value) -> properties.put("preset." + key, value));
        new Binder(new MapConfigurationPropertySource(properties)).bind("preset", target);
    }

    /** Makes the policy; a value that it cannot have is put back to the default, so that the others are checked too. */
    private <P, T extends PolicyProperties<P>> @Nullable P check(
            PolicyKind kind, String name, T properties, Supplier<T> defaults, LenientBinding handler) {
        Set<String> refused = new HashSet<>();
        while (true) {
            try {
                P policy = properties.toPolicy();
                return refused.isEmpty() ? policy : null;
            } catch (InvalidPolicyException invalid) {
                explain(kind, name, invalid, handler);
                if (!refused.add(invalid.key())) {
                    return null;
                }
                putBack(properties, defaults.get(), invalid.key());
                putBack(properties, defaults.get(), invalid.otherKey());
            }
        }
    }

    private static void putBack(Object properties, Object defaults, @Nullable String key) {
        if (key != null) {
            String path = toCamelCase(key);
            new BeanWrapperImpl(properties)
                    .setPropertyValue(path, new BeanWrapperImpl(defaults).getPropertyValue(path));
        }
    }

    private static String toCamelCase(String key) {
        return Pattern.compile("-(.)")
                .matcher(key)
                .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
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
        if (handler.isUnreadable(key) || (other != null && handler.isUnreadable(other))) {
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
