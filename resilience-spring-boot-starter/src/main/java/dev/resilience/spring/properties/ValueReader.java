package dev.resilience.spring.properties;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.CollectionFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionService;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Turns what is configured into values of the type that a record has, as Spring Boot does it. What cannot be read is reported with its
 * place, and the reading goes on. A duration without a unit and a value that is left empty count as unreadable: the one is not what it
 * seems, the other would have no effect.
 */
final class ValueReader {

    /** In place of what is reported. */
    static final Object UNREADABLE = new Object();

    private static final int MAX_LISTED = 20;

    /** A whole number, but zero. */
    private static final Pattern WITHOUT_UNIT = Pattern.compile("[+-]?0*[1-9]\\d*");

    private static final String SIZE = "Write a number and a unit without a blank: 512B, 256KB, 2MB.";

    /**
     * What a type needs.
     *
     * @param problem what a text is that is no value of the type; empty if the conversion says it better
     */
    private record Expected(String problem, String cure) {}

    /** A number that is too small to be told from zero, which often means off. */
    private static final Pattern NOT_ZERO = Pattern.compile("[^eE]*[1-9].*");

    private static final Expected UNRESOLVED = new Expected(
            "cannot be resolved",
            "Define the property that the placeholder names, or give it a default: ${name:default}.");

    private static final Map<Class<?>, Expected> EXPECTED = Map.of(
            Boolean.class, new Expected("is neither true nor false", "Write true or false."),
            Integer.class,
                    new Expected(
                            "is not a whole number of at most " + Integer.MAX_VALUE,
                            "Write a whole number, in digits."),
            Double.class, new Expected("is not a number", "Write a number, such as 0.5."),
            Duration.class, new Expected("", "Write a number and a unit: 250ms, 10s, 5m, 1h."),
            Long.class, new Expected("", SIZE),
            DataSize.class, new Expected("", SIZE),
            Class.class,
                    new Expected(
                            "is no class on the class path",
                            "Write the name of a class on the class path, with its package."));

    private final ConversionService conversion = ApplicationConversionService.getSharedInstance();
    private final PlaceholdersResolver placeholders;
    private final StartupProblems problems;

    ValueReader(PlaceholdersResolver placeholders, StartupProblems problems) {
        this.placeholders = placeholders;
        this.problems = problems;
    }

    /**
     * The value of a setting; {@code null} if it says nothing, because nothing is left of its placeholders, and {@link #UNREADABLE}
     * if it is a problem.
     */
    @Nullable
    Object read(Setting setting, ResolvableType type) {
        if (Collection.class.isAssignableFrom(type.toClass())) {
            return readAll(setting, type);
        }
        Object value = resolve(setting.value());
        if (isText(type) || !value.equals("")) {
            return convert(value, type, setting, type);
        }
        return setting.value().equals("") && !setting.mayBeEmpty()
                ? report(
                        setting,
                        type,
                        value,
                        "it has no value",
                        "Write a value, or remove the key to leave it at its default.")
                : null;
    }

    private Object readAll(Setting setting, ResolvableType type) {
        if (setting.hasGap()) {
            return report(setting, type, "", "the numbers of its elements have a gap", "Number them from 0 on.");
        }
        Collection<?> elements = setting.isList() ? setting.elements() : split(resolve(setting.value()));
        Collection<Object> list = CollectionFactory.createCollection(type.toClass(), elements.size());
        for (Object element : elements) {
            Object value = resolve(element);
            list.add(
                    value.equals("")
                            ? report(
                                    setting,
                                    type,
                                    element,
                                    "one of its elements is empty",
                                    "Remove the comma that is too many.")
                            : convert(value, type.asCollection().getGeneric(), setting, type));
        }
        return list.contains(UNREADABLE) ? UNREADABLE : list;
    }

    /** A placeholder that cannot be resolved stays as it is. */
    private Object resolve(Object value) {
        try {
            Object resolved =
                    value instanceof CharSequence ? placeholders.resolvePlaceholders(value.toString()) : value;
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException circular) {
            return value;
        }
    }

    /** @param to the type of the value, which is an element's where the whole is of the type of a list */
    private Object convert(Object value, ResolvableType to, Setting setting, ResolvableType whole) {
        Class<?> wanted = ClassUtils.resolvePrimitiveIfNecessary(to.toClass());
        if (wanted.isInstance(value) || isText(to)) {
            return isText(to) ? value.toString() : value;
        }
        String text = value.toString().strip();
        if (wanted == Duration.class && WITHOUT_UNIT.matcher(text).matches()) {
            String units = text + "s or " + text + "ms";
            return report(setting, whole, value, "it has no unit: " + units + "?", "Write " + units + ".");
        }
        try {
            return parse(text, wanted);
        } catch (RuntimeException | ClassNotFoundException | LinkageError unreadable) {
            Expected expected = text.contains("${") ? UNRESOLVED : expected(text, wanted, unreadable);
            return report(setting, whole, value, "'" + text + "' " + expected.problem, expected.cure);
        }
    }

    private Object report(Setting setting, ResolvableType type, Object value, String reason, String cure) {
        String place = setting.describe(value);
        problems.add(
                "unreadable " + place,
                new ResilienceConfigurationException(
                        ProblemKind.VALUES,
                        "Failed to bind properties under '" + setting.property() + "' to " + type + ":\n\n" + place
                                + "\n    Reason: " + reason,
                        "Change the value of " + setting.target() + ". " + cure));
        return UNREADABLE;
    }

    private static boolean isText(ResolvableType type) {
        return type.toClass() == String.class || RecordKeys.isFunction(type);
    }

    private static Collection<?> split(Object value) {
        if (value instanceof Collection<?> elements) {
            return elements;
        }
        String text = value.toString();
        return text.isBlank()
                ? List.of()
                : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    }

    /** The only longs in policies are sizes. */
    private Object parse(String text, Class<?> wanted) throws ClassNotFoundException {
        if (wanted == Class.class) {
            return ClassUtils.forName(text, null);
        }
        Object value = wanted == Long.class ? DataSize.parse(text).toBytes() : conversion.convert(text, wanted);
        if (value == null || (value.equals(0.0) && NOT_ZERO.matcher(text).matches())) {
            throw new IllegalArgumentException("is no value");
        }
        return value;
    }

    private static Expected expected(String text, Class<?> wanted, Throwable unreadable) {
        if (wanted.isEnum()) {
            List<String> values = Arrays.stream(wanted.getEnumConstants())
                    .map(Object::toString)
                    .toList();
            String cure = values.size() > MAX_LISTED
                    ? NearestNames.suggest(text, values)
                    : "The following values are valid:\n\n    " + String.join("\n    ", values);
            return new Expected("is none of the values that there are", cure);
        }
        Expected known =
                EXPECTED.getOrDefault(wanted, new Expected("", "It must be of the type " + wanted.getName() + "."));
        return known.problem.isEmpty()
                ? new Expected(
                        "cannot be read: "
                                + NestedExceptionUtils.getMostSpecificCause(unreadable)
                                        .getMessage(),
                        known.cure)
                : known;
    }
}
