package dev.resilience.spring.properties;

import dev.resilience.spring.KebabCase;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.core.ResolvableType;

/** A policy with some values changed while the application runs, which are read and checked as if they were written in YAML. */
public final class ChangedPolicy {

    private ChangedPolicy() {}

    /**
     * The policy with the changes. Placeholders are not resolved: an answer could tell what they stand for.
     *
     * @param changes values by key, nested or dotted
     * @param origin where the changes come from, for messages
     * @throws ResilienceConfigurationException for unknown keys and values that cannot be, all of them at once
     */
    public static <P extends Record> P of(PolicyKind kind, String name, P current, Map<?, ?> changes, Origin origin) {
        StartupMistakes mistakes = new StartupMistakes();
        Map<String, @Nullable Object> flat = new LinkedHashMap<>();
        flatten("", changes, flat);
        Map<String, ResolvableType> types = PolicyKeys.types(current.getClass());
        types.keySet().removeAll(PolicyFunction.beans(current.getClass()));
        Map<String, String> known = new LinkedHashMap<>();
        types.keySet().forEach(key -> known.put(KnownKeys.uniform(key), key));
        KnownKeys ofKind = new KnownKeys(List.of(kind));
        Map<String, String> given = new HashMap<>();
        Map<String, Object> written = new LinkedHashMap<>();
        flat.forEach((key, value) -> {
            String knownKey = known.get(KnownKeys.uniform(key));
            String same = given.put(KnownKeys.uniform(key), key);
            if (knownKey == null) {
                String atStartup = ofKind.find(kind, key);
                mistakes.add(
                        atStartup == null
                                ? unknown(kind, name, key, types.keySet())
                                : readAtStartup(kind, name, atStartup));
            } else if (same != null) {
                mistakes.add(new ResilienceConfigurationException(
                        MistakeKind.KEYS,
                        "The keys '" + same + "' and '" + key + "' of the " + kind.id() + " policy '" + name
                                + "' are one",
                        "Give one of them."));
            } else if (value instanceof Collection<?> list && !isList(Objects.requireNonNull(types.get(knownKey)))) {
                mistakes.add(new ResilienceConfigurationException(
                        MistakeKind.VALUES,
                        "The key '" + key + "' of the " + kind.id() + " policy '" + name + "' has a list: " + list,
                        "Give it one value."));
            } else {
                write(kind.prefix() + "[" + name + "]." + knownKey, value, origin, written);
            }
        });
        ConfigurationPropertySource source = Objects.requireNonNull(
                ConfigurationPropertySource.from(new OriginTrackedMapPropertySource("changes", written)));
        ConfiguredProperties keys = new ConfiguredProperties(List.of(source), ofKind);
        P changed = new PolicyBinder(keys, PlaceholdersResolver.NONE, mistakes, (broken, of) -> {})
                .bind(kind, current)
                .get(name);
        mistakes.throwIfAny();
        if (changed == null && !written.isEmpty()) {
            throw new IllegalArgumentException("The " + kind.id() + " policy '" + name
                    + "' cannot be changed by keys, because no property can have this name: give a policy object");
        }
        return changed == null ? current : changed; // nothing is changed
    }

    /** The new values, as texts, of the keys in which two policies differ. */
    public static Map<String, String> differences(Record before, Record after) {
        Map<String, @Nullable Object> old = PolicyKeys.values(before);
        Map<String, String> differences = new LinkedHashMap<>();
        PolicyKeys.values(after).forEach((key, value) -> {
            if (!Objects.equals(old.get(key), value)) {
                differences.put(key, text(value));
            }
        });
        return differences;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Collection<?> list) {
            return list.stream().map(ChangedPolicy::text).toList().toString();
        }
        return value instanceof Enum<?> constant
                ? KebabCase.of(constant.name())
                : value instanceof Class<?> type ? type.getName() : value == null ? "none" : value.toString();
    }

    private static void flatten(String prefix, Map<?, ?> nested, Map<String, @Nullable Object> flat) {
        nested.forEach((key, value) -> {
            if (value instanceof Map<?, ?> group && !group.isEmpty()) {
                flatten(prefix + key + ".", group, flat);
            } else {
                flat.put(prefix + key, value instanceof Map ? null : value);
            }
        });
    }

    private static void write(String property, @Nullable Object value, Origin origin, Map<String, Object> written) {
        if (value instanceof Collection<?> list && !list.isEmpty()) {
            int index = 0;
            for (Object element : list) {
                written.put(
                        property + "[" + index++ + "]", OriginTrackedValue.of(element == null ? "" : element, origin));
            }
        } else {
            boolean isEmpty = value == null || value instanceof Collection<?>;
            written.put(property, OriginTrackedValue.of(isEmpty ? "" : value, origin));
        }
    }

    private static boolean isList(ResolvableType type) {
        return Collection.class.isAssignableFrom(type.toClass());
    }

    private static ResilienceConfigurationException readAtStartup(PolicyKind kind, String name, String key) {
        return new ResilienceConfigurationException(
                MistakeKind.KEYS,
                "The key '" + key + "' of the " + kind.id() + " policy '" + name
                        + "' cannot change while the application runs, because it is read at startup",
                "Change the configuration and restart the application.");
    }

    private static ResilienceConfigurationException unknown(
            PolicyKind kind, String name, String key, Collection<String> known) {
        return new ResilienceConfigurationException(
                MistakeKind.KEYS,
                "The " + kind.id() + " policy '" + name + "' has no key '" + key + "'",
                "Correct or remove the key. " + NearestNames.suggest(key, known));
    }
}
