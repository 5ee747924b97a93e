package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * Makes policies of properties. A policy that starts from others is the first of them bound onto fresh defaults, then the
 * next bound over it, and so on: Boot's binder does the merging, key by key, so that no key can be forgotten.
 */
final class PolicyBinder {

    private static final String DEFAULT = "default";

    private final Binder binder;
    private final ConfiguredKeys keys;
    private final Map<String, ConfigurationPropertySource> retryPresets = RetryPresets.sources();

    PolicyBinder(Binder binder, ConfiguredKeys keys) {
        this.binder = binder;
        this.keys = keys;
    }

    /** All policies of a kind by name; one of them is always there, whether written or not. */
    <P, T extends PolicyProperties<P>> Map<String, P> bind(PolicyKind kind, Class<T> type, Supplier<T> defaults) {
        Set<String> names = new TreeSet<>(keys.policyNames(kind));
        names.add(DEFAULT);
        Map<String, P> policies = new LinkedHashMap<>();
        for (String name : names) {
            policies.put(name, bind(kind, name, names, type, defaults));
        }
        return Collections.unmodifiableMap(policies);
    }

    private <P, T extends PolicyProperties<P>> P bind(
            PolicyKind kind, String name, Set<String> names, Class<T> type, Supplier<T> defaults) {
        List<String> chain = chain(kind, name, names);
        T properties = defaults.get();
        for (int i = chain.size() - 1; i >= 0; i--) {
            String link = chain.get(i);
            Bindable<T> target = Bindable.of(type).withExistingValue(properties);
            ConfigurationPropertySource preset =
                    names.contains(link) ? null : presets(kind).get(link);
            if (preset == null) {
                binder.bind(policy(kind, link), target);
            } else {
                new Binder(preset).bind("preset", target);
            }
        }
        try {
            return properties.toPolicy();
        } catch (InvalidPolicyException invalid) {
            throw explain(kind, chain, invalid);
        }
    }

    /** The policy itself, then what it starts from, and so on: up to {@code default} or a preset. */
    private List<String> chain(PolicyKind kind, String name, Set<String> names) {
        Set<String> chain = new LinkedHashSet<>();
        String link = name;
        while (link != null) {
            if (!chain.add(link)) {
                throw circle(kind, chain, link);
            }
            link = names.contains(link) ? parent(kind, link, names) : null;
        }
        return List.copyOf(chain);
    }

    private @Nullable String parent(PolicyKind kind, String name, Set<String> names) {
        ConfigurationPropertyName key = policy(kind, name).append("extends");
        String parent = binder.bind(key, Bindable.of(String.class)).orElse(null);
        if (parent == null) {
            return name.equals(DEFAULT) ? null : DEFAULT;
        }
        if (!names.contains(parent) && !presets(kind).containsKey(parent)) {
            Set<String> known = new TreeSet<>(names);
            known.addAll(presets(kind).keySet());
            known.remove(name);
            throw new ResilienceConfigurationException(
                    "The " + kind.id() + " policy '" + name + "' extends '" + parent + "', which does not exist:\n\n"
                            + keys.describe(key),
                    "Correct the name. " + NearestNames.suggest(parent, known));
        }
        return parent;
    }

    private Map<String, ConfigurationPropertySource> presets(PolicyKind kind) {
        return kind == PolicyKind.RETRY ? retryPresets : Map.of();
    }

    private ResilienceConfigurationException circle(PolicyKind kind, Set<String> chain, String link) {
        List<String> links = new ArrayList<>(chain);
        String circle = String.join(" -> ", links.subList(links.indexOf(link), links.size())) + " -> " + link;
        return new ResilienceConfigurationException(
                "The " + kind.id() + " policies start from each other in a circle: " + circle
                        + " (a policy without 'extends' starts from 'default')\n\n"
                        + keys.describe(policy(kind, link).append("extends")),
                "Remove one 'extends' under '" + kind.prefix() + "'.");
    }

    /** Tells which property is at fault: the policy's own or one of those that it starts from. */
    private ResilienceConfigurationException explain(
            PolicyKind kind, List<String> chain, InvalidPolicyException invalid) {
        ConfigurationPropertyName key = policy(kind, chain.get(0)).append(invalid.key());
        for (String link : chain) {
            ConfigurationPropertyName candidate = policy(kind, link).append(invalid.key());
            if (keys.contains(candidate)) {
                key = candidate;
                break;
            }
        }
        return new ResilienceConfigurationException(
                "The " + kind.id() + " policy '" + chain.get(0) + "' has a value that it cannot have:\n\n"
                        + keys.describe(key, invalid.value()) + "\n    Reason: it " + invalid.requirement(),
                "Change the value of '" + key + "': it " + invalid.requirement() + ".");
    }

    private static ConfigurationPropertyName policy(PolicyKind kind, String name) {
        return ConfigurationPropertyName.of(kind.prefix()).append(PolicyNames.asElement(name));
    }
}
