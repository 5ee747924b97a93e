package dev.resilience.spring.deadletter;

import java.lang.reflect.Modifier;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Arguments that a method cannot change, so that they may be written after it was called. */
final class ImmutableTypes {

    private static final Set<Class<?>> KNOWN = Set.of(
            String.class,
            java.math.BigDecimal.class,
            java.math.BigInteger.class,
            UUID.class,
            Locale.class,
            java.net.URI.class);

    private ImmutableTypes() {}

    /** Whether values of a type are known never to change. What is not known is taken to change. */
    static boolean contain(ResolvableType type) {
        Class<?> raw = type.toClass();
        if (raw == Optional.class) {
            return contain(type.getGeneric());
        }
        return ClassUtils.isPrimitiveOrWrapper(raw)
                || KNOWN.contains(raw)
                || raw.isEnum()
                || isTime(raw)
                || (raw.isRecord() && !type.hasGenerics() && isFlat(raw));
    }

    private static boolean isTime(Class<?> raw) {
        return (Temporal.class.isAssignableFrom(raw) || TemporalAmount.class.isAssignableFrom(raw))
                && Modifier.isFinal(raw.getModifiers())
                && raw.getPackageName().equals("java.time");
    }

    /** A record in a record is looked into no further, because it may contain itself. */
    private static boolean isFlat(Class<?> raw) {
        return Arrays.stream(raw.getRecordComponents())
                .map(part -> value(ResolvableType.forType(part.getGenericType())))
                .noneMatch(part -> part.toClass().isRecord() || !contain(part));
    }

    private static ResolvableType value(ResolvableType type) {
        return type.toClass() == Optional.class ? value(type.getGeneric()) : type;
    }
}
