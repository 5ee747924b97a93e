package dev.resilience.spring.properties;

import dev.resilience.policy.Key;
import dev.resilience.spring.KebabCase;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/**
 * The components of a policy's record and the keys that they have in YAML, those of a record in it below its own key.
 * Reflection makes them anew each time that it is asked, so this is kept for all policies of a kind.
 */
record RecordShape<P>(Constructor<P> constructor, List<Component> components) {

    /**
     * @param key below the policy
     * @param group the shape of a component that is a record itself; {@code null} for a value
     */
    private record Component(
            String key, RecordComponent component, @Nullable RecordShape<?> group) {}

    static <P> RecordShape<P> of(Class<P> type) {
        return of(type, "");
    }

    private static <P> RecordShape<P> of(Class<P> type, String prefix) {
        List<Component> components = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String key = prefix + key(component);
            Class<?> valueType = component.getType();
            types.add(valueType);
            components.add(new Component(key, component, valueType.isRecord() ? of(valueType, key + ".") : null));
        }
        try {
            return new RecordShape<>(type.getDeclaredConstructor(types.toArray(Class<?>[]::new)), components);
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException("Every record has it", impossible);
        }
    }

    private static String key(RecordComponent component) {
        Key key = component.getAnnotation(Key.class);
        return key == null ? KebabCase.of(component.getName()) : key.value();
    }

    /** The types of the values by key. */
    Map<String, ResolvableType> types() {
        Map<String, ResolvableType> types = new LinkedHashMap<>();
        for (Component one : components) {
            if (one.group() == null) {
                types.put(one.key(), ResolvableType.forType(one.component().getGenericType()));
            } else {
                types.putAll(one.group().types());
            }
        }
        return types;
    }

    /** The values of a policy by key. */
    Map<String, @Nullable Object> values(Object policy) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Component one : components) {
            Object value = read(one.component(), policy);
            if (one.group() != null && value != null) {
                values.putAll(one.group().values(value));
            } else {
                values.put(one.key(), value);
            }
        }
        return values;
    }

    private static @Nullable Object read(RecordComponent component, Object policy) {
        try {
            return component.getAccessor().invoke(policy);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Policies are public records", impossible);
        }
    }

    /**
     * A policy of values by key.
     *
     * @throws org.springframework.beans.BeanInstantiationException if the record refuses a value; its cause tells which
     */
    P create(Map<String, @Nullable Object> values) {
        @Nullable Object[] arguments = new Object[components.size()];
        for (int i = 0; i < arguments.length; i++) {
            Component one = components.get(i);
            Object value = values.get(one.key());
            arguments[i] = one.group() != null
                    ? one.group().create(values)
                    : value instanceof DataSize size && one.component().getType() == long.class
                            ? (Object) size.toBytes()
                            : value;
        }
        return BeanUtils.instantiateClass(constructor, arguments);
    }
}
