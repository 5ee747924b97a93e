package dev.resilience.spring.properties;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Makes one record, such as a policy: lays what is configured over the values of what it starts from, and gives them to its
 * constructor, which alone says what it can have. The value of what it starts from stands in for one that cannot be read or is
 * refused, so that the others are checked too.
 *
 * @param subject what is made, at the beginning of a sentence
 */
record PolicyCreation(
        String subject,
        RecordKeys keys,
        Layers layers,
        ValueReader reader,
        PolicyFunctions functions,
        StartupProblems problems) {

    /**
     * What is made.
     *
     * @param isWhole whether all that is configured is in it; what is not is reported
     */
    record Created<P>(P value, boolean isWhole) {}

    @SuppressWarnings("unchecked") // made of the keys of its class
    <P extends Record> Created<P> over(P base) {
        Map<String, @Nullable Object> configured = read();
        boolean isReadable = !layers.broken() && !configured.containsValue(ValueReader.UNREADABLE);
        if (configured.isEmpty()) {
            return new Created<>(base, isReadable);
        }
        Map<String, @Nullable Object> ofBase = keys.values(base);
        Map<String, @Nullable Object> values = new LinkedHashMap<>(ofBase);
        configured.forEach((key, value) -> {
            if (value != ValueReader.UNREADABLE) {
                values.put(key, value);
            }
        });
        Set<String> refused = new HashSet<>();
        while (true) {
            try {
                return new Created<>((P) keys.create(values), isReadable && refused.isEmpty());
            } catch (InvalidPolicyException invalid) {
                report(invalid, configured);
                if (!refused.add(invalid.key())) {
                    return new Created<>(base, false);
                }
                values.put(invalid.key(), ofBase.get(invalid.key()));
                if (invalid.otherKey() != null) {
                    values.put(invalid.otherKey(), ofBase.get(invalid.otherKey()));
                }
            }
        }
    }

    private Map<String, @Nullable Object> read() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Map<String, Setting> layer : layers.all()) {
            layer.forEach((key, setting) -> {
                if (!values.containsKey(key)) {
                    read(key, setting, values);
                }
            });
        }
        return values;
    }

    private void read(String key, Setting setting, Map<String, @Nullable Object> values) {
        ResolvableType type = keys.type(key);
        Object value = reader.read(setting, type);
        if (value == null) {
            return;
        }
        values.put(key, value);
        if (RecordKeys.isFunction(type) && value != ValueReader.UNREADABLE) {
            String place = layers.describe(key, value);
            try {
                values.put(key, functions.read(subject, type, value.toString(), place));
            } catch (ResilienceConfigurationException problem) {
                problems.add(place, problem);
                values.put(key, ValueReader.UNREADABLE);
            }
        }
    }

    private void report(InvalidPolicyException invalid, Map<String, @Nullable Object> configured) {
        String key = invalid.key();
        String other = invalid.otherKey();
        boolean isOtherRight = other == null || (configured.get(other) != ValueReader.UNREADABLE && !layers.broken());
        if (configured.get(key) == ValueReader.UNREADABLE || !isOtherRight) {
            return; // compared with what stands in for it
        }
        String reason = subject(key, invalid.value()) + " " + invalid.requirement();
        // the same problem in every policy that inherits it
        String place = other == null || layers.setting(key) != null ? layers.property(key) : key;
        problems.add(
                "refused " + place + " " + (other == null ? "" : layers.property(other)) + " " + reason,
                new ResilienceConfigurationException(
                        ProblemKind.VALUES,
                        subject + " has a value that it cannot have:\n\n"
                                + layers.describe(key, invalid.value()) + "\n    Reason: " + reason
                                + (other == null ? "" : "\n\n" + layers.describe(other, invalid.otherValue())),
                        "Change the value of " + layers.target(key) + ": " + reason + "."
                                + (other == null ? "" : " Or change that of " + layers.target(other) + ".")));
    }

    /** What the requirement is said of: the property, or what of its several values is refused. */
    private String subject(String key, @Nullable Object value) {
        if (value instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).collect(Collectors.joining(", ", "each of ", ""));
        }
        return layers.isJoinedList(key) ? String.valueOf(value) : "it";
    }

    /**
     * What is configured for a policy and for what it starts from.
     *
     * @param property where the policy itself is or would be configured
     * @param links its name, then that of what it starts from, and so on
     * @param all its own settings by key first, then those of what it starts from, and so on
     * @param start what it starts from in the end, in words; {@code null} for the defaults
     * @param bean the bean that it starts from in the end, if it starts from one
     * @param broken whether what it starts from does not exist, so that it cannot be made
     */
    record Layers(
            String property,
            List<String> links,
            List<Map<String, Setting>> all,
            @Nullable String start,
            @Nullable Record bean,
            boolean broken) {

        /** Begins the property of a setting that a preset makes. */
        static final String PRESET = "preset ";

        /** A policy that starts from the defaults. */
        static Layers of(String property, Map<String, Setting> settings) {
            return new Layers(property, List.of(), List.of(settings), null, null, false);
        }

        /** What is configured for a key, outside presets; {@code null} if nothing is. */
        @Nullable
        Setting setting(String key) {
            for (Map<String, Setting> layer : all) {
                Setting setting = layer.get(key);
                if (setting != null && !setting.property().startsWith(PRESET)) {
                    return setting;
                }
            }
            return null;
        }

        /** The property that gives the policy the value of a key: its own or one of those that it starts from. */
        String property(String key) {
            Setting setting = setting(key);
            return setting == null ? property + "." + key : setting.property();
        }

        /** What to change for another value, in a sentence. */
        String target(String key) {
            Setting setting = setting(key);
            return setting == null ? "'" + property(key) + "'" : setting.target();
        }

        /** The place of a value: property, value and origin. */
        String describe(String key, @Nullable Object value) {
            Setting setting = setting(key);
            return setting == null
                    ? "    Property: " + property(key) + "\n    Value: " + value + " ("
                            + (start == null ? "nowhere written, so the default" : "of the " + start) + ")"
                    : setting.describe(value);
        }

        /** Whether the key has several values in one text, so that its place does not tell which is meant. */
        boolean isJoinedList(String key) {
            Setting setting = setting(key);
            return setting != null
                    && !setting.isList()
                    && String.valueOf(setting.value()).indexOf(',') >= 0;
        }
    }
}
