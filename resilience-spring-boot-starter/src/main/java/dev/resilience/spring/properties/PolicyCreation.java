package dev.resilience.spring.properties;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
        PolicyInheritance inheritance,
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
        boolean isReadable = !inheritance.broken() && !configured.containsValue(ValueReader.UNREADABLE);
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
        for (Map<String, Setting> settings : inheritance.settings()) {
            settings.forEach((key, setting) -> {
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
            String place = inheritance.describe(key, value);
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
        boolean isOtherRight =
                other == null || (configured.get(other) != ValueReader.UNREADABLE && !inheritance.broken());
        if (configured.get(key) == ValueReader.UNREADABLE || !isOtherRight) {
            return; // compared with what stands in for it
        }
        String reason = subject(key, invalid.value()) + " " + invalid.requirement();
        // the same problem in every policy that inherits it
        String place = other == null || inheritance.setting(key) != null ? inheritance.property(key) : key;
        problems.add(
                "refused " + place + " " + (other == null ? "" : inheritance.property(other)) + " " + reason,
                new ResilienceConfigurationException(
                        ProblemKind.VALUES,
                        subject + " has a value that it cannot have:\n\n"
                                + inheritance.describe(key, invalid.value()) + "\n    Reason: " + reason
                                + (other == null ? "" : "\n\n" + inheritance.describe(other, invalid.otherValue())),
                        "Change the value of " + inheritance.target(key) + ": " + reason + "."
                                + (other == null ? "" : " Or change that of " + inheritance.target(other) + ".")));
    }

    /** What the requirement is said of: the property, or what of its several values is refused. */
    private String subject(String key, @Nullable Object value) {
        if (value instanceof Collection<?> several) {
            return several.stream().map(String::valueOf).collect(Collectors.joining(", ", "each of ", ""));
        }
        return inheritance.isJoinedList(key) ? String.valueOf(value) : "it";
    }
}
