package dev.resilience.spring.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;
import org.springframework.util.unit.DataSize;

/** The keys of a policy: the components of its record as YAML writes them. */
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
            RecordShape<P> shape,
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
            RecordShape<P> shape = RecordShape.of(type);
            return new Target<>(shape, types, PolicyKeys.functions(type), defaults, shape.values(defaults));
        }

        /** The values of what a policy starts from, which is the defaults for the most part. */
        @SuppressWarnings("ReferenceEquality") // an equal record has the same values
        Map<String, @Nullable Object> valuesOf(Record base) {
            return base == defaults ? values : shape.values(base);
        }
    }

    /** The types of the values by key, as they are written: the only longs in policies are sizes, functions are texts. */
    public static Map<String, ResolvableType> types(Class<?> policy) {
        Map<String, ResolvableType> types = RecordShape.of(policy).types();
        types.replaceAll((key, type) -> type.toClass() == long.class
                ? ResolvableType.forClass(DataSize.class)
                : isFunction(type) ? ResolvableType.forClass(String.class) : type);
        return types;
    }

    /** The types of the functions by key. */
    static Map<String, ResolvableType> functions(Class<?> policy) {
        Map<String, ResolvableType> functions = RecordShape.of(policy).types();
        functions.values().removeIf(type -> !isFunction(type));
        return functions;
    }

    private static boolean isFunction(ResolvableType type) {
        return type.toClass().isAnnotationPresent(FunctionalInterface.class);
    }

    /** The values of a policy by key. */
    public static Map<String, @Nullable Object> values(Record policy) {
        return RecordShape.of(policy.getClass()).values(policy);
    }
}
