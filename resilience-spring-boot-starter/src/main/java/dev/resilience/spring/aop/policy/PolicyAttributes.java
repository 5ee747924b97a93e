package dev.resilience.spring.aop.policy;

import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.kind.ConfiguredKind;
import java.lang.annotation.Annotation;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** The attributes of the annotation of one kind that are values of its policies. */
record PolicyAttributes(List<Attribute> all) {

    /** What says which policy it is, and whether the annotation holds. */
    private static final Set<String> OTHERS = Set.of("value", "enabled");

    /**
     * @param unset the value that says nothing; {@code null} if it must be written
     */
    private record Attribute(
            Method method, String key, @Nullable Object unset) {}

    static PolicyAttributes of(ConfiguredKind<?, ?, ?> kind, BiPredicate<PolicyKind, String> isKey) {
        List<Attribute> all = new ArrayList<>();
        Class<? extends Annotation> annotation = kind.annotation();
        for (Method method : annotation == null ? new Method[0] : annotation.getDeclaredMethods()) {
            String key = kind.keyOf(method.getName());
            if (!OTHERS.contains(method.getName()) && method.getParameterCount() == 0 && isKey.test(kind, key)) {
                ReflectionUtils.makeAccessible(method);
                all.add(new Attribute(method, key, method.getDefaultValue()));
            }
        }
        all.sort((left, right) -> left.key().compareTo(right.key())); // reflection has no order
        return new PolicyAttributes(all);
    }

    /** The values that are set, by the name of the attribute. */
    Map<String, Object> valuesOf(Annotation annotation) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (Attribute attribute : all) {
            Object value = ReflectionUtils.invokeMethod(attribute.method(), annotation);
            if (value != null && !ObjectUtils.nullSafeEquals(value, attribute.unset())) {
                values.put(attribute.method().getName(), value.getClass().isArray() ? list(value) : value);
            }
        }
        return values;
    }

    private static List<Object> list(Object array) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            list.add(Array.get(array, i));
        }
        return List.copyOf(list);
    }

    /** The names of the attributes by key. */
    Map<String, String> byKey() {
        Map<String, String> keys = new LinkedHashMap<>();
        all.forEach(attribute -> keys.put(attribute.key(), attribute.method().getName()));
        return keys;
    }
}
