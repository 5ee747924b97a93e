package dev.resilience.spring.actuate;

import dev.resilience.policy.Key;
import dev.resilience.spring.KebabCase;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * A policy as it would be written in YAML: the same keys, nested likewise; durations in ISO-8601. Made of the record
 * that is in force, so it cannot tell anything else.
 */
final class PolicyView {

    private PolicyView() {}

    static Map<String, Object> of(Record policy) {
        Map<String, Object> view = new LinkedHashMap<>();
        for (RecordComponent component : policy.getClass().getRecordComponents()) {
            Object value = value(policy, component);
            if (value != null) {
                Key key = component.getAnnotation(Key.class);
                view.put(key == null ? KebabCase.of(component.getName()) : key.value(), readable(value));
            }
        }
        return view;
    }

    /** Adds what a key beside those of the record says; one with a dot stands in a group. */
    @SuppressWarnings("unchecked") // a group is one of these maps
    static void add(Map<String, Object> view, String key, String text) {
        int dot = key.indexOf('.');
        if (dot < 0) {
            view.put(key, text);
        } else {
            Object group = view.computeIfAbsent(key.substring(0, dot), none -> new LinkedHashMap<>());
            add((Map<String, Object>) group, key.substring(dot + 1), text);
        }
    }

    private static @Nullable Object value(Record policy, RecordComponent component) {
        try {
            return component.getAccessor().invoke(policy);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("Policies are public records", impossible);
        }
    }

    private static Object readable(Object value) {
        if (value instanceof Record group) {
            return of(group);
        }
        if (value instanceof Duration duration) {
            return duration.toString();
        }
        if (value instanceof Enum<?> constant) {
            return KebabCase.of(constant.name());
        }
        if (value instanceof Class<?> type) {
            return type.getName();
        }
        if (value instanceof Predicate<?> rule) {
            return rule.toString();
        }
        if (value instanceof Collection<?> list) {
            return list.stream()
                    .sorted(PolicyView::numbersFirst)
                    .map(PolicyView::readable)
                    .toList();
        }
        return value instanceof Long bytes ? size(bytes) : value; // the only longs in policies are sizes
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
}
