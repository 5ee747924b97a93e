package dev.resilience.spring.properties;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanInstantiationException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/**
 * Makes policies of properties. What is written is laid over the defaults key by key, of the policy itself first and of
 * all that it starts from. The constructor of the record gets the values: what a policy can have, what it has by default
 * and what it refuses is said by its record alone.
 */
public final class PolicyBinder {

    private static final ConfigurationPropertyName ENABLED = ConfigurationPropertyName.of("enabled");

    private final ConfiguredProperties keys;
    private final PlaceholdersResolver placeholders;
    private final StartupMistakes mistakes;
    private final BiConsumer<PolicyKind, String> broken;
    private final Map<PolicyKind, PolicyInheritance> written = new LinkedHashMap<>();
    private final Binder binder;

    /** Throws the first mistake. */
    public PolicyBinder(ConfiguredProperties keys, PlaceholdersResolver placeholders) {
        this(keys, placeholders, StartupMistakes.thrownAtOnce(), (kind, name) -> {});
    }

    /**
     * @param broken hears which policies cannot be made
     */
    public PolicyBinder(
            ConfiguredProperties keys,
            PlaceholdersResolver placeholders,
            StartupMistakes mistakes,
            BiConsumer<PolicyKind, String> broken) {
        this.keys = keys;
        this.placeholders = placeholders;
        this.mistakes = mistakes;
        this.broken = broken;
        this.binder = keys.binder(placeholders);
    }

    /**
     * The policies of a kind by name; one of them is always there, whether written or not. Those that cannot be made are
     * left out: they are mistakes.
     */
    public <P extends Record> Map<String, P> bind(PolicyKind kind, P defaults) {
        PolicyKeys.Target<P> target = PolicyKeys.Target.of(defaults);
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : written(kind).names()) {
            P policy = bindOrTell(kind, name, target);
            if (policy != null) {
                policies.put(name, policy);
            }
        }
        return Collections.unmodifiableMap(policies);
    }

    /** The policy of a name; {@code null} if it cannot be made, which is a mistake. */
    public <P extends Record> @Nullable P bind(PolicyKind kind, P defaults, String name) {
        return bindOrTell(kind, name, PolicyKeys.Target.of(defaults));
    }

    private <P extends Record> @Nullable P bindOrTell(PolicyKind kind, String name, PolicyKeys.Target<P> target) {
        P policy = null;
        try {
            policy = bind(kind, name, target);
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
            if (written(kind).isBroken(name)) {
                bind(kind, name, target); // to tell what is wrong with its own values as well
            }
        }
        if (policy == null) {
            broken.accept(kind, name);
        }
        return policy;
    }

    /** Whether the methods that use a policy are protected by it. */
    public boolean isEnabled(PolicyKind kind, String name) {
        LenientBinding handler = new LenientBinding(() -> keys, placeholders, mistakes);
        return !kind.canBeSwitchedOff()
                || !Boolean.FALSE.equals(PolicyChain.of(written(kind), name, keys)
                        .value(ENABLED, Bindable.of(Boolean.class), binder, handler));
    }

    /** The property that gives a policy the value of a key: its own or one of those that it starts from. */
    public ConfigurationPropertyName origin(PolicyKind kind, String name, String key) {
        return written(kind).origin(name, key);
    }

    /** The names of all policies that are written, by kind. */
    public Map<PolicyKind, Set<String>> names() {
        Map<PolicyKind, Set<String>> all = new LinkedHashMap<>();
        written.forEach((kind, policies) -> all.put(kind, policies.names()));
        return all;
    }

    private PolicyInheritance written(PolicyKind kind) {
        return written.computeIfAbsent(kind, key -> new PolicyInheritance(kind, keys, placeholders));
    }

    /** The default stands in for a value that cannot be read or is refused, so that the others are checked too. */
    private <P extends Record> @Nullable P bind(PolicyKind kind, String name, PolicyKeys.Target<P> target) {
        LenientBinding handler = new LenientBinding(() -> keys, placeholders, mistakes);
        List<String> chain = written(kind).chain(name);
        PolicyChain inherited = PolicyChain.of(written(kind), name, keys);
        Map<String, @Nullable Object> base = target.valuesOf(written(kind).base(chain, target.defaults()));
        Map<String, @Nullable Object> values = new HashMap<>(base);
        Set<String> refused = new HashSet<>();
        target.types().forEach((key, type) -> {
            Object value = inherited.value(key, type, binder, handler);
            String text = key.toString();
            ResolvableType function = target.functions().get(text);
            if (value != null && function != null) {
                Supplier<String> place = () -> describe(kind, name, text, value);
                try {
                    values.put(text, written(kind).function(name, value.toString(), function, place));
                } catch (ResilienceConfigurationException mistake) {
                    mistakes.add(place.get(), mistake);
                    refused.add(text);
                }
            } else if (value != null) {
                values.put(text, value);
            }
        });
        while (true) {
            try {
                P policy = target.shape().create(values);
                boolean isWhole = refused.isEmpty()
                        && !handler.hasFailed()
                        && !written(kind).isBroken(name);
                return isWhole ? written(kind).customize(name, policy) : null;
            } catch (BeanInstantiationException failed) {
                InvalidPolicyException invalid = invalid(failed);
                explain(kind, name, invalid, handler);
                if (!refused.add(invalid.key())) {
                    return null;
                }
                putBack(invalid.key(), values, base);
                putBack(invalid.otherKey(), values, base);
            }
        }
    }

    private static void putBack(
            @Nullable String key, Map<String, @Nullable Object> values, Map<String, @Nullable Object> base) {
        if (key != null) {
            values.put(key, base.get(key));
        }
    }

    /** Whether a policy says something of a key itself, and not only what it starts from. */
    public boolean isWritten(PolicyKind kind, String name, String key) {
        ConfigurationPropertyName policy = written(kind).find(name);
        return policy != null && keys.contains(policy.append(key));
    }

    private static InvalidPolicyException invalid(BeanInstantiationException failed) {
        if (failed.getCause() instanceof InvalidPolicyException invalid) {
            return invalid;
        }
        throw failed;
    }

    /** Describes the property that gives a policy the value of a key: its own or one of those that it starts from. */
    public String describe(PolicyKind kind, String name, String key, @Nullable Object value) {
        PolicyInheritance policies = written(kind);
        ConfigurationPropertyName origin = policies.origin(name, key);
        String preset = policies.preset(name);
        String bean = policies.bean(name);
        if (keys.contains(origin) || (preset == null && bean == null)) {
            return value instanceof Collection ? keys.describe(origin) : keys.describe(origin, value);
        }
        String start = preset == null ? "bean '" + bean : "preset '" + preset;
        return "    Property: " + origin + "\n    Value: " + value + " (of the " + start + "')";
    }

    private void explain(PolicyKind kind, String name, InvalidPolicyException invalid, LenientBinding handler) {
        ConfigurationPropertyName key = written(kind).origin(name, invalid.key());
        String otherKey = invalid.otherKey();
        ConfigurationPropertyName other =
                otherKey == null ? null : written(kind).origin(name, otherKey);
        boolean isStandIn =
                other != null && (handler.isUnreadable(other) || written(kind).isBroken(name));
        if (handler.isUnreadable(key) || isStandIn) {
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
                        "Change the value of " + keys.target(key) + ": " + reason + "."
                                + (other == null ? "" : " Or change that of " + keys.target(other) + ".")));
    }

    /** What the requirement is said of: the property, or what of its several values is refused. */
    private String subject(ConfigurationPropertyName key, @Nullable Object value) {
        if (value instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).collect(Collectors.joining(", ", "each of ", ""));
        }
        return keys.isJoinedList(key) ? String.valueOf(value) : "it";
    }
}
