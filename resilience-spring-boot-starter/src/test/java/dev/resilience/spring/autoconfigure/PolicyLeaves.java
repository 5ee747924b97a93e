package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.KebabCase;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The components of a policy by their keys, those of records inside it with the outer one's key before them. */
final class PolicyLeaves {

    private PolicyLeaves() {}

    static Map<String, @Nullable Object> of(Record policy) {
        Map<String, @Nullable Object> leaves = new TreeMap<>();
        collect(policy, "", leaves);
        return leaves;
    }

    private static void collect(Record policy, String prefix, Map<String, @Nullable Object> leaves) {
        for (RecordComponent component : policy.getClass().getRecordComponents()) {
            String key = prefix + KebabCase.of(component.getName());
            Object value = read(component, policy);
            if (value instanceof Record inner) {
                collect(inner, key + ".", leaves);
            } else {
                leaves.put(key, value);
            }
        }
    }

    private static @Nullable Object read(RecordComponent component, Record policy) {
        try {
            return component.getAccessor().invoke(policy);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
