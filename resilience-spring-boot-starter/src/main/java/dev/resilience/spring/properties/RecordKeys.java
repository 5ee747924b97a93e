package dev.resilience.spring.properties;

import dev.resilience.policy.Key;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.kind.ConfiguredKind;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.unit.DataSize;

/**
 * The components of a record and the keys that they have in YAML; those of a record in it have theirs below its own key. Reflection
 * makes components anew each time that it is asked, so this is kept for all policies of a kind.
 */
public final class RecordKeys {

    /**
     * @param key as the documentation writes it
     * @param group the keys of a component that is a record itself; {@code null} for a value
     */
    private record Component(
            String key, RecordComponent component, @Nullable RecordKeys group) {}

    private final String prefix;
    private final List<Component> components = new ArrayList<>();
    private final Constructor<?> constructor;
    private final Map<String, ResolvableType> types = new LinkedHashMap<>();
    private final Map<String, String> byUniform = new HashMap<>();
    private final Map<String, String> paths = new HashMap<>();

    private RecordKeys(Class<?> type, String prefix) {
        this.prefix = prefix;
        List<Class<?>> parameters = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Class<?> valueType = component.getType();
            Key named = component.getAnnotation(Key.class);
            String key = prefix + (named == null ? KebabCase.of(component.getName()) : named.value());
            RecordKeys group = valueType.isRecord() ? new RecordKeys(valueType, key + ".") : null;
            parameters.add(valueType);
            ReflectionUtils.makeAccessible(component.getAccessor());
            components.add(new Component(key, component, group));
            if (group == null) {
                add(key, ResolvableType.forType(component.getGenericType()));
            } else {
                group.types.forEach(this::add);
            }
        }
        try {
            constructor = ReflectionUtils.accessibleConstructor(type, parameters.toArray(Class<?>[]::new));
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException("Every record has it", impossible);
        }
    }

    static RecordKeys of(Class<?> record) {
        return new RecordKeys(record, "");
    }

    /** The keys of the policies of a kind, with those that each policy has besides its record. */
    static RecordKeys of(ConfiguredKind<?, ?, ?> kind) {
        RecordKeys keys = of(kind.policyType());
        keys.add("extends", ResolvableType.forClass(String.class));
        if (kind.canBeSwitchedOff()) {
            keys.add("enabled", ResolvableType.forClass(Boolean.class));
        }
        return keys;
    }

    private void add(String key, ResolvableType type) {
        types.put(key, type);
        byUniform.put(uniform(key), key);
        paths.put(key, uniform(key).replace('.', '/'));
    }

    /** What relaxed binding takes for one: without dashes and case. */
    static String uniform(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** The types of the values by key. */
    Map<String, ResolvableType> types() {
        return types;
    }

    /** A key without dashes, slashes in place of its dots. */
    String path(String key) {
        return paths.getOrDefault(key, "");
    }

    /** A key in any form, as the documentation writes it; {@code null} if there is none. */
    @Nullable
    String find(String key) {
        return byUniform.get(uniform(key));
    }

    /** Whether one of the keys has the same letters and digits. */
    boolean containsSqueezed(String key) {
        String squeezed = ConfiguredProperties.squeeze(key);
        return types.keySet().stream()
                .anyMatch(known -> ConfiguredProperties.squeeze(known).equals(squeezed));
    }

    /** Whether keys stand below this one, which has no value of its own. */
    boolean isGroup(String key) {
        String beginning = uniform(key) + ".";
        return byUniform.keySet().stream().anyMatch(known -> known.startsWith(beginning));
    }

    /** The type of a key that there is. */
    ResolvableType type(String key) {
        return types.getOrDefault(key, ResolvableType.NONE);
    }

    boolean isList(String key) {
        return Collection.class.isAssignableFrom(type(key).toClass());
    }

    static boolean isFunction(ResolvableType type) {
        return type.toClass().isAnnotationPresent(FunctionalInterface.class);
    }

    /** The values of a record by key. */
    Map<String, @Nullable Object> values(Object ofRecord) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Component one : components) {
            Object value = ReflectionUtils.invokeMethod(one.component.getAccessor(), ofRecord);
            if (one.group != null && value != null) {
                values.putAll(one.group.values(value));
            } else {
                values.put(one.key, value);
            }
        }
        return values;
    }

    /** A policy as it would be written in YAML: the same keys, nested likewise; durations in ISO-8601. */
    public static Map<String, Object> view(Record policy) {
        return of(policy.getClass()).viewOf(policy);
    }

    private Map<String, Object> viewOf(Object ofRecord) {
        Map<String, Object> view = new LinkedHashMap<>();
        for (Component one : components) {
            Object value = ReflectionUtils.invokeMethod(one.component.getAccessor(), ofRecord);
            if (value != null) {
                view.put(
                        one.key.substring(prefix.length()),
                        one.group == null ? readable(one.key, value) : one.group.viewOf(value));
            }
        }
        return view;
    }

    /** A value as it is shown: numbers and truth values as they are, everything else as it would be written. */
    Object readable(String key, Object value) {
        return isFunction(type(key)) ? value.toString() : readable(value);
    }

    private static Object readable(Object value) {
        if (value instanceof Enum<?> constant) {
            return KebabCase.of(constant.name());
        }
        if (value instanceof Collection<?> list) {
            return list.stream()
                    .sorted(RecordKeys::numbersFirst)
                    .map(RecordKeys::readable)
                    .toList();
        }
        if (value instanceof Long bytes) { // the only longs in policies are sizes
            return size(bytes);
        }
        return value instanceof Class<?> type ? type.getName() : value instanceof Duration ? value.toString() : value;
    }

    /** Sets of numbers have no order of their own; lists of classes keep theirs. */
    private static int numbersFirst(Object left, Object right) {
        return left instanceof Integer a && right instanceof Integer b ? a.compareTo(b) : 0;
    }

    private static String size(long bytes) {
        DataSize size = DataSize.ofBytes(bytes);
        if (bytes > 0 && DataSize.ofMegabytes(size.toMegabytes()).equals(size)) {
            return size.toMegabytes() + "MB";
        }
        return bytes > 0 && DataSize.ofKilobytes(size.toKilobytes()).equals(size)
                ? size.toKilobytes() + "KB"
                : bytes + "B";
    }

    /**
     * A record of values by key.
     *
     * @throws dev.resilience.policy.InvalidPolicyException if the record refuses a value
     */
    Object create(Map<String, @Nullable Object> values) {
        @Nullable Object[] arguments = new Object[components.size()];
        for (int i = 0; i < arguments.length; i++) {
            Component one = components.get(i);
            arguments[i] = one.group == null ? values.get(one.key) : one.group.create(values);
        }
        try {
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException refused) {
            throw refused.getCause() instanceof RuntimeException invalid ? invalid : new IllegalStateException(refused);
        }
    }
}
