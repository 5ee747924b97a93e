package dev.resilience.spring.properties;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.util.StringUtils;

/** Some values of a policy that change while the application runs, read and checked as if they were in YAML. */
public final class PolicyChange {

    private static final int MAX_ELEMENTS = 100;

    private PolicyChange() {}

    /**
     * The policy with the changes. Placeholders are not resolved: an answer could tell what they stand for.
     *
     * @param changes values by key, nested or dotted
     * @param origin where the changes come from, for messages
     * @throws ResilienceConfigurationException for unknown keys and values that cannot be, all of them at once
     */
    public static <P extends Record> P apply(
            ConfiguredKind<?, ?, ?> kind, String name, P current, Map<?, ?> changes, String origin) {
        RecordKeys keys = RecordKeys.of(kind);
        Set<String> changeable = keys.values(current).keySet();
        String property = PropertyNames.of(kind.prefix(), name);
        String policy = kind.id() + " policy '" + name + "'";
        StartupProblems problems = new StartupProblems();
        Map<String, Setting> settings = new LinkedHashMap<>();
        flatten("", changes, (configured, value) -> {
            String key = keys.find(configured);
            int elements = value instanceof Collection<?> list
                    ? list.size()
                    : StringUtils.countOccurrencesOf(String.valueOf(value), ",") + 1;
            String theKey = "The key '" + configured + "' of the " + policy + " ";
            if (key == null) {
                String known = NearestNames.suggest(configured, keys.types().keySet());
                problems.add(refusal(
                        "The " + policy + " has no key '" + configured + "'", "Correct or remove the key. " + known));
            } else if (!changeable.contains(key) || PolicyFunctions.isBean(keys.type(key))) {
                problems.add(refusal(
                        theKey + "cannot change while the application runs, because it is read at startup",
                        "Change the configuration and restart the application."));
            } else if (settings.containsKey(key)) {
                problems.add(refusal(theKey + "is given twice, in two spellings", "Give it once."));
            } else if (elements > MAX_ELEMENTS) { // each of them may be a class to be looked for
                problems.add(
                        refusal(theKey + "has " + elements + " elements", "Give it at most " + MAX_ELEMENTS + "."));
            } else if (value instanceof Collection<?> list && !keys.isList(key)) {
                problems.add(refusal(theKey + "has a list: " + list, "Give it one value."));
            } else {
                settings.put(key, Setting.of(property + "." + key, value, origin));
            }
        });
        P changed = new PolicyCreation(
                        "The " + policy,
                        keys,
                        PolicyInheritance.of(property, settings),
                        new ValueReader(PlaceholdersResolver.NONE, problems),
                        PolicyFunctions.NONE,
                        problems)
                .over(current)
                .value();
        problems.throwIfAny();
        return changed;
    }

    /** The keys of a kind's policies that may change while the application runs. */
    public static List<String> changeable(ConfiguredKind<?, ?, ?> kind) {
        RecordKeys keys = RecordKeys.of(kind.policyType());
        return keys.types().keySet().stream()
                .filter(key -> !kind.isFixed(key) && !PolicyFunctions.isBean(keys.type(key)))
                .toList();
    }

    private static void flatten(String prefix, Map<?, ?> changes, BiConsumer<String, Object> values) {
        changes.forEach((key, value) -> {
            if (value instanceof Map<?, ?> group && !group.isEmpty()) {
                flatten(prefix + key + ".", group, values);
            } else {
                values.accept(prefix + key, value == null || value instanceof Map ? "" : value);
            }
        });
    }

    private static ResilienceConfigurationException refusal(String problem, String cure) {
        return new ResilienceConfigurationException(ProblemKind.KEYS, problem, cure);
    }

    /**
     * A policy with the values in which one configuration differs from an earlier one.
     *
     * @throws dev.resilience.policy.InvalidPolicyException if they cannot be beside its others
     */
    @SuppressWarnings("unchecked") // made of the keys of its class
    public static <P extends Record> P carryOver(P earlier, P later, P policy) {
        RecordKeys keys = RecordKeys.of(policy.getClass());
        Map<String, @Nullable Object> before = keys.values(earlier);
        Map<String, @Nullable Object> values = keys.values(policy);
        keys.values(later).forEach((key, value) -> {
            if (!Objects.equals(before.get(key), value)) {
                values.put(key, value);
            }
        });
        return (P) keys.create(values);
    }

    /** The new values, as texts, of the keys in which two policies differ. */
    public static Map<String, String> differences(Record before, Record after) {
        RecordKeys keys = RecordKeys.of(before.getClass());
        Map<String, @Nullable Object> old = keys.values(before);
        Map<String, String> differences = new LinkedHashMap<>();
        keys.values(after).forEach((key, value) -> {
            if (!Objects.equals(old.get(key), value)) {
                differences.put(key, value == null ? "none" : String.valueOf(keys.readable(key, value)));
            }
        });
        return differences;
    }
}
