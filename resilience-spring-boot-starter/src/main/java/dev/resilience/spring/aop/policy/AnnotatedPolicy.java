package dev.resilience.spring.aop.policy;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says of a policy.
 *
 * @param annotation its name, as in source
 * @param place the class and, unless the annotation stands on the type, the method
 * @param values those that are set, by the names of their attributes; arrays are lists
 * @param keys the names of the attributes by key
 */
public record AnnotatedPolicy(String annotation, String place, Map<String, Object> values, Map<String, String> keys) {

    /** The value of a key; {@code null} if the annotation does not say. */
    public @Nullable Object value(String key) {
        String attribute = keys.get(key);
        return attribute == null ? null : values.get(attribute);
    }

    /** As in source, with the value of one key: {@code @Retryable(maxAttempts = 5)}. */
    public String describe(String key) {
        String attribute = String.valueOf(keys.get(key));
        return describe(Map.of(attribute, values.getOrDefault(attribute, "")));
    }

    /** As in source, with all values that are set. */
    String describe() {
        return describe(new LinkedHashMap<>(values));
    }

    private String describe(Map<String, Object> shown) {
        return shown.entrySet().stream()
                .map(one -> one.getKey() + " = " + literal(one.getValue()))
                .collect(Collectors.joining(", ", annotation + "(", ")"));
    }

    private static String literal(Object value) {
        if (value instanceof Collection<?> several) {
            boolean single = several.size() == 1;
            return several.stream()
                    .map(AnnotatedPolicy::literal)
                    .collect(Collectors.joining(", ", single ? "" : "{", single ? "" : "}"));
        }
        if (value instanceof Class<?> type) {
            return type.getSimpleName() + ".class";
        }
        return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
    }
}
