package dev.resilience.spring.properties;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is configured for a policy and for what it starts from.
 *
 * @param property where the policy itself is or would be configured
 * @param links its name, then that of what it starts from, and so on
 * @param settings its own settings by key first, then those of what it starts from, and so on
 * @param start what it starts from in the end, in words; {@code null} for the defaults
 * @param bean the bean that it starts from in the end, if it starts from one
 * @param broken whether what it starts from does not exist, so that it cannot be made
 */
record PolicyInheritance(
        String property,
        List<String> links,
        List<Map<String, Setting>> settings,
        @Nullable String start,
        @Nullable Record bean,
        boolean broken) {

    /** Begins the property of a setting that a preset makes. */
    static final String PRESET = "preset ";

    /** A policy that starts from the defaults. */
    static PolicyInheritance of(String property, Map<String, Setting> own) {
        return new PolicyInheritance(property, List.of(), List.of(own), null, null, false);
    }

    /** What is configured for a key, outside presets; {@code null} if nothing is. */
    @Nullable
    Setting setting(String key) {
        return settings.stream()
                .flatMap(each -> Stream.ofNullable(each.get(key)))
                .filter(setting -> !setting.property().startsWith(PRESET))
                .findFirst()
                .orElse(null);
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
