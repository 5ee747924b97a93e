package dev.resilience.spring.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.idempotency.json.NonValueTypes;
import dev.resilience.spring.kind.CallExpression;
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
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Takes the idempotency key from the arguments, as the text of a SpEL expression. That text must be the same for equal values
 * and in every process: numbers, texts, truths, enums, ids, values of {@code java.time}, lists and records of these, and objects of classes
 * outside the JDK with a {@code toString()} of their own.
 */
record KeyExpression(CallExpression expression, boolean required) implements KeySource {

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
     * @param required whether a call for which the expression gives {@code null} is refused
     * @throws IllegalArgumentException if it does not parse or cannot give a key; the message says why
     */
    static KeyExpression parse(String text, Method method, boolean required) {
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
        return new KeyExpression(expression, required);
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        @Nullable Object[] arguments = invocation.arguments();
        Object given = expression.value(arguments);
        Object key = unwrapped(given);
        if (key == null && !required) {
            return null;
        }
        if (key == null) {
            throw new IdempotencyKeyMissingException(
                    "The call has no idempotency key: '" + expression + "' is " + (given == null ? "null" : "empty"));
        }
        boolean isText = key instanceof String;
        if (isText && expression.isArgument()) {
            return key.toString();
        }
        try {
            refuseUnstable(key);
            if (isText) {
                expression.wholeArguments().forEach(index -> refuseUnstable(arguments[index]));
            }
            return key.toString();
        } catch (StackOverflowError endless) {
            throw invalid(key, "which contains itself");
        }
    }

    private void refuseUnstable(@Nullable Object value) {
        String why = whyNot(value);
        if (value != null && why != null) {
            throw invalid(value, why);
        }
    }

    private IdempotencyKeyInvalidException invalid(Object key, String why) {
        return new IdempotencyKeyInvalidException("The idempotency key '" + expression + "' is a "
                + key.getClass().getName() + ", " + why + "; " + CURE);
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
        if (type.isArray() || NonValueTypes.isOfJdk(type) || isAny(UNSTABLE, type)) {
            return "whose text is not always the same for equal values";
        }
        boolean isKnownByValueOnly = Modifier.isAbstract(type.getModifiers());
        return isKnownByValueOnly || hasText(type) ? null : "which has no toString() of its own";
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

    private static boolean hasText(Class<?> type) {
        Method text = ReflectionUtils.findMethod(type, "toString");
        return text != null && text.getDeclaringClass() != Object.class;
    }
}
