package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.KebabCase;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys of a policy: the components of its record as YAML writes them, those of a record in it below its own key. */
final class PolicyKeys {

    private PolicyKeys() {}

    /** The types of the values by key. */
    static Map<String, Class<?>> types(Class<?> policy) {
        Map<String, Class<?>> types = new LinkedHashMap<>();
        for (RecordComponent component : policy.getRecordComponents()) {
            String key = KebabCase.of(component.getName());
            if (component.getType().isRecord()) {
                types(component.getType()).forEach((inner, type) -> types.put(key + "." + inner, type));
            } else {
                types.put(key, component.getType());
            }
        }
        return types;
    }

    /** The values of a policy by key. */
    static Map<String, @Nullable Object> values(Record policy) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (RecordComponent component : policy.getClass().getRecordComponents()) {
            String key = KebabCase.of(component.getName());
            Object value = read(component, policy);
            if (value instanceof Record group) {
                values(group).forEach((inner, one) -> values.put(key + "." + inner, one));
            } else {
                values.put(key, value);
            }
        }
        return values;
    }

    private static @Nullable Object read(RecordComponent component, Record policy) {
        try {
            return component.getAccessor().invoke(policy);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Policies are public records", impossible);
        }
    }
}
