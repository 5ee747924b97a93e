package dev.resilience.spring.properties;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;

/** What one source of properties has for a key: one value, or the elements of a list, each with its place. */
public final class Setting {

    /** In place of an element's number. */
    static final int WHOLE = -1;

    private final String property;
    private final boolean mayBeEmpty;
    private final SortedMap<Integer, Value> values;

    private record Value(Object value, @Nullable Object origin) {}

    /**
     * The value of an annotation's attribute, as the place of a policy's value.
     *
     * @param source as in source: {@code @Retryable(maxAttempts = 5)}
     * @param attribute its name
     * @param place the class and, unless the annotation stands on the type, the method
     */
    record AnnotationOrigin(String source, String attribute, String place) {}

    private Setting(String property, boolean mayBeEmpty, SortedMap<Integer, Value> values) {
        this.property = property;
        this.mayBeEmpty = mayBeEmpty;
        this.values = values;
    }

    /**
     * Without a value as yet.
     *
     * @param property its whole name
     * @param mayBeEmpty whether a value that is left empty is like none; it is a problem in files
     */
    Setting(String property, boolean mayBeEmpty) {
        this(property, mayBeEmpty, new TreeMap<>());
    }

    static Setting of(String property, Object value, @Nullable Object origin) {
        Setting setting = new Setting(property, false);
        setting.put(WHOLE, value, origin);
        return setting;
    }

    /** The same, under its name as the documentation writes it. */
    Setting as(String name) {
        return new Setting(name, mayBeEmpty, values);
    }

    String property() {
        return property;
    }

    void put(int index, Object value, @Nullable Object origin) {
        values.putIfAbsent(index, new Value(value, origin));
    }

    boolean mayBeEmpty() {
        return mayBeEmpty;
    }

    /** Whether its elements are configured one by one. */
    boolean isList() {
        return values.firstKey() != WHOLE;
    }

    boolean hasGap() {
        return isList() && values.lastKey() != values.size() - 1;
    }

    private Value first() {
        return values.values().iterator().next();
    }

    /** The one value, or the first element. */
    Object value() {
        return first().value;
    }

    List<Object> elements() {
        return values.values().stream().map(Value::value).toList();
    }

    /** What to change, in a sentence: a property, or the attribute of an annotation. */
    String target() {
        return first().origin instanceof AnnotationOrigin at
                ? "attribute '" + at.attribute + "' of " + at.source + " on " + at.place
                : "'" + property + "'";
    }

    /**
     * Property, value and origin, each on a line of its own.
     *
     * @param meant the element of a list; the list is described as a whole if none of them is it
     */
    String describe(@Nullable Object meant) {
        if (first().origin instanceof AnnotationOrigin at) {
            return "    Annotation: " + at.source + "\n    Place: " + at.place
                    + "\n    Property that would override it: " + property;
        }
        if (!isList()) {
            return describe(property, first());
        }
        for (var element : values.entrySet()) {
            if (element.getValue().value.toString().equals(String.valueOf(meant))) {
                return describe(property + "[" + element.getKey() + "]", element.getValue());
            }
        }
        List<String> texts = elements().stream().map(Object::toString).toList();
        return describe(property, new Value(String.join(", ", texts), first().origin));
    }

    /** As {@link #describe(Object)}, of any property. */
    public static String describeProperty(ConfigurationProperty property) {
        return describe(property.getName().toString(), new Value(property.getValue(), property.getOrigin()));
    }

    private static String describe(String property, Value value) {
        return "    Property: " + property + "\n    Value: " + value.value + "\n    Origin: "
                + (value.origin == null ? "unknown" : value.origin);
    }
}
