package dev.resilience.spring.properties;

import dev.resilience.policy.Key;
import dev.resilience.spring.KebabCase;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/** The keys of a policy: the components of its record as YAML writes them, those of a record in it below its own key. */
final class PolicyKeys {

    private PolicyKeys() {}

    /**
     * What the policies of a kind are made of.
     *
     * @param types of the values, by their keys below a policy
     * @param functions the types of those that are functions
     * @param values those of the defaults
     */
    record Target<P extends Record>(
            Class<P> type,
            Map<ConfigurationPropertyName, Bindable<?>> types,
            Map<String, ResolvableType> functions,
            P defaults,
            Map<String, @Nullable Object> values) {

        @SuppressWarnings("unchecked")
        static <P extends Record> Target<P> of(P defaults) {
            Map<ConfigurationPropertyName, Bindable<?>> types = new LinkedHashMap<>();
            PolicyKeys.types(defaults.getClass())
                    .forEach((key, type) -> types.put(ConfigurationPropertyName.of(key), Bindable.of(type)));
            Class<P> type = (Class<P>) defaults.getClass();
            return new Target<>(type, types, PolicyKeys.functions(type), defaults, PolicyKeys.values(defaults));
        }

        /** The values of what a policy starts from, which is the defaults for the most part. */
        @SuppressWarnings("ReferenceEquality") // an equal record has the same values
        Map<String, @Nullable Object> valuesOf(Record base) {
            return base == defaults ? values : PolicyKeys.values(base);
        }
    }

    /** The types of the values by key, as they are written: the only longs in policies are sizes, functions are texts. */
    public static Map<String, ResolvableType> types(Class<?> policy) {
        Map<String, ResolvableType> types = components(policy);
        types.replaceAll((key, type) -> type.toClass() == long.class
                ? ResolvableType.forClass(DataSize.class)
                : isFunction(type) ? ResolvableType.forClass(String.class) : type);
        return types;
    }

    /** The types of the functions by key. */
    static Map<String, ResolvableType> functions(Class<?> policy) {
        Map<String, ResolvableType> functions = components(policy);
        functions.values().removeIf(type -> !isFunction(type));
        return functions;
    }

    private static boolean isFunction(ResolvableType type) {
        return type.toClass().isAnnotationPresent(FunctionalInterface.class);
    }

    private static Map<String, ResolvableType> components(Class<?> policy) {
        Map<String, ResolvableType> types = new LinkedHashMap<>();
        for (RecordComponent component : policy.getRecordComponents()) {
            String key = key(component);
            if (component.getType().isRecord()) {
                components(component.getType()).forEach((inner, type) -> types.put(key + "." + inner, type));
            } else {
                types.put(key, ResolvableType.forType(component.getGenericType()));
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
            if (component.getType().isRecord() && value instanceof Record group) {
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
