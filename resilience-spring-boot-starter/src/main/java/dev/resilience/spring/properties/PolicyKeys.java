package dev.resilience.spring.properties;

import dev.resilience.policy.Key;
import dev.resilience.spring.KebabCase;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/** The keys of a policy: the components of its record as YAML writes them, those of a record in it below its own key. */
final class PolicyKeys {

    private PolicyKeys() {}

    /** The types of the values by key, as they are written: the only longs in policies are sizes. */
    public static Map<String, ResolvableType> types(Class<?> policy) {
        Map<String, ResolvableType> types = new LinkedHashMap<>();
        for (RecordComponent component : policy.getRecordComponents()) {
            String key = key(component);
            if (component.getType().isRecord()) {
                types(component.getType()).forEach((inner, type) -> types.put(key + "." + inner, type));
            } else {
                boolean isSize = component.getType() == long.class;
                types.put(key, ResolvableType.forType(isSize ? DataSize.class : component.getGenericType()));
            }
        }
        return types;
    }

    /** The values of a policy by key. */
    public static Map<String, @Nullable Object> values(Record policy) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (RecordComponent component : policy.getClass().getRecordComponents()) {
            String key = key(component);
            Object value = read(component, policy);
            if (value instanceof Record group) {
                values(group).forEach((inner, one) -> values.put(key + "." + inner, one));
            } else {
                values.put(key, value);
            }
        }
        return values;
    }

    /**
     * A policy of values by key.
     *
     * @throws org.springframework.beans.BeanInstantiationException if the record refuses a value; its cause tells which
     */
    static <P> P create(Class<P> policy, Map<String, @Nullable Object> values) {
        return create(policy, "", values);
    }

    private static <P> P create(Class<P> policy, String prefix, Map<String, @Nullable Object> values) {
        RecordComponent[] components = policy.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] arguments = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            String key = prefix + key(components[i]);
            types[i] = components[i].getType();
            arguments[i] = types[i].isRecord() ? create(types[i], key + ".", values) : value(types[i], values.get(key));
        }
        return BeanUtils.instantiateClass(constructor(policy, types), arguments);
    }

    private static @Nullable Object value(Class<?> type, @Nullable Object value) {
        return type == long.class && value instanceof DataSize size ? size.toBytes() : value;
    }

    private static <P> Constructor<P> constructor(Class<P> policy, Class<?>... types) {
        try {
            return policy.getDeclaredConstructor(types);
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException("Every record has it", impossible);
        }
    }

    private static String key(RecordComponent component) {
        Key key = component.getAnnotation(Key.class);
        return key == null ? KebabCase.of(component.getName()) : key.value();
    }

    private static @Nullable Object read(RecordComponent component, Record policy) {
        try {
            return component.getAccessor().invoke(policy);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Policies are public records", impossible);
        }
    }
}
