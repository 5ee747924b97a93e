package dev.resilience.spring.kind;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Takes a key from the arguments of a call, as the text of a SpEL expression. That text must be the same for equal values
 * and in every process: numbers, texts, truths, enums, ids, values of {@code java.time}, lists and records of these, and objects of classes
 * outside the JDK with a {@code toString()} of their own.
 */
public record CallKey(CallExpression expression) {

    /** What an annotation may have as its key, in the words of a cure. */
    public static final String EXAMPLES = "\"#orderId\", \"#request.id\" or \"#p0\"";

    private static final String CURE = "take a value with a text that is always the same, such as an id";

    private static final List<Class<?>> VALUES = List.of(
            CharSequence.class,
            Number.class,
            Character.class,
            Boolean.class,
            Enum.class,
            List.class,
            UUID.class,
            URI.class,
            Locale.class,
            Currency.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class);

    /** Without an order, or in the time zone of the process. */
    private static final List<Class<?>> UNSTABLE = List.of(Collection.class, Map.class, Date.class, Calendar.class);

    /**
     * Parses and checks an expression.
     *
     * @throws IllegalArgumentException if it does not parse or cannot give a key; the message says why
     */
    public static CallKey parse(String text, Method method) {
        CallExpression expression = CallExpression.ofArguments(text, method);
        for (int index : expression.wholeArguments()) {
            ResolvableType type = ResolvableType.forMethodParameter(method, index);
            Class<?> raw = type.resolve(Object.class);
            String why = whyNot(raw == Optional.class ? type.getGeneric().resolve(Object.class) : raw);
            if (why != null) {
                throw new IllegalArgumentException(
                        "argument " + index + " is a " + type.getType().getTypeName() + ", " + why + "; " + CURE);
            }
        }
        return new CallKey(expression);
    }

    /**
     * The key of a call; {@code null} if the expression is {@code null} or empty for its arguments.
     *
     * @param invalid makes an exception of what is wrong with a value that cannot be a key
     */
    public @Nullable String of(@Nullable Object[] arguments, Function<String, ? extends RuntimeException> invalid) {
        Object key = unwrapped(expression.value(arguments));
        if (key == null) {
            return null;
        }
        boolean isText = key instanceof String;
        if (isText && expression.isArgument()) {
            return key.toString();
        }
        List<@Nullable Object> values = new ArrayList<>(List.of(key));
        if (isText) {
            expression.wholeArguments().forEach(index -> values.add(arguments[index]));
        }
        for (Object value : values) {
            String why;
            try {
                why = whyNot(value);
            } catch (StackOverflowError endless) {
                why = "which contains itself";
            }
            if (value != null && why != null) {
                throw invalid.apply(
                        "'" + expression + "' is a " + value.getClass().getName() + ", " + why + "; " + CURE);
            }
        }
        return key.toString();
    }

    private static @Nullable Object unwrapped(@Nullable Object given) {
        if (given instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (given instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        if (given instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        if (given instanceof OptionalDouble optional) {
            return optional.isPresent() ? optional.getAsDouble() : null;
        }
        return given;
    }

    /** Why no value of a declared type can be a key; {@code null} if one can be. */
    static @Nullable String whyNot(Class<?> declared) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(declared);
        if (isAny(VALUES, type)
                || type.getPackageName().startsWith("java.time")
                || type.isAssignableFrom(String.class)
                || type.isAssignableFrom(ArrayList.class)) {
            return null;
        }
        if (type.isArray() || isOfJdk(type) || isAny(UNSTABLE, type)) {
            return "whose text is not always the same for equal values";
        }
        boolean isKnownByValueOnly = Modifier.isAbstract(type.getModifiers());
        boolean hasText = ClassUtils.getMethod(type, "toString").getDeclaringClass() != Object.class;
        return isKnownByValueOnly || hasText ? null : "which has no toString() of its own";
    }

    /** Why a value cannot be a key, or {@code null} if it can. */
    static @Nullable String whyNot(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Optional<?> optional) {
            return whyNot(optional.orElse(null));
        }
        if (value instanceof List<?> elements) {
            return whyNotAll(elements);
        }
        if (value instanceof Record) {
            List<@Nullable Object> parts = new ArrayList<>();
            for (RecordComponent part : value.getClass().getRecordComponents()) {
                ReflectionUtils.makeAccessible(part.getAccessor());
                parts.add(ReflectionUtils.invokeMethod(part.getAccessor(), value));
            }
            return whyNotAll(parts);
        }
        return value.getClass() == Object.class ? "which has no text of its own" : whyNot(value.getClass());
    }

    private static @Nullable String whyNotAll(List<? extends @Nullable Object> parts) {
        for (Object part : parts) {
            String why = whyNot(part);
            if (part != null && why != null) {
                return why.startsWith("with a ")
                        ? why
                        : "with a " + part.getClass().getName() + " in it, " + why;
            }
        }
        return null;
    }

    private static boolean isAny(List<Class<?>> supertypes, Class<?> type) {
        return supertypes.stream().anyMatch(supertype -> supertype.isAssignableFrom(type));
    }

    /** Whether a class is one of the JDK's own. */
    public static boolean isOfJdk(Class<?> type) {
        String module = type.getModule().getName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }
}
