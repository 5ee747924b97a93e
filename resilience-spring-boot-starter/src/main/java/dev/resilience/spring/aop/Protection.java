package dev.resilience.spring.aop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The annotations that hold for a method: its own, and for each that it does not have, its type's. Found on
 * superclasses and interfaces too, and as meta-annotations.
 *
 * @param onMethod whether the method itself has one of them
 */
record Protection(
        @Nullable Fallback fallback,
        @Nullable Idempotent idempotent,
        @Nullable Bulkhead bulkhead,
        @Nullable CircuitBreaker circuitBreaker,
        @Nullable Retryable retryable,
        @Nullable TimeLimit timeLimit,
        boolean onMethod) {

    static final List<Class<? extends Annotation>> ANNOTATIONS = List.of(
            Fallback.class, Idempotent.class, Bulkhead.class, CircuitBreaker.class, Retryable.class, TimeLimit.class);

    /** The annotations on a type, which hold for its public methods. */
    static MergedAnnotations onType(Class<?> type) {
        return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
    }

    /** The protection of a method of a class or of what it extends, or {@code null} if there is none. */
    static @Nullable Protection of(Method method, Class<?> type, MergedAnnotations onType) {
        MergedAnnotations own = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        // an interface of the class that the superclass with the body does not know
        Method declared = ClassUtils.getInterfaceMethodIfPossible(method, type);
        MergedAnnotations onInterface = MergedAnnotations.from(declared, SearchStrategy.TYPE_HIERARCHY);
        boolean itself = hasAny(own) || hasAny(onInterface);
        if (!itself && !hasAny(onType)) {
            return null;
        }
        List<MergedAnnotations> closestFirst = List.of(own, onInterface, onType);
        Fallback fallback = find(Fallback.class, closestFirst);
        boolean fallsBackToItself = fallback != null
                && fallback.value().equals(method.getName())
                && !own.isPresent(Fallback.class)
                && !onInterface.isPresent(Fallback.class);
        return new Protection(
                fallsBackToItself ? null : fallback,
                find(Idempotent.class, closestFirst),
                find(Bulkhead.class, closestFirst),
                find(CircuitBreaker.class, closestFirst),
                find(Retryable.class, closestFirst),
                find(TimeLimit.class, closestFirst),
                itself);
    }

    static boolean hasAny(MergedAnnotations annotations) {
        return ANNOTATIONS.stream().anyMatch(annotations::isPresent);
    }

    /** As in source: {@code @Bulkhead, @Retryable}. */
    @Override
    public String toString() {
        return Stream.of(fallback, idempotent, bulkhead, circuitBreaker, retryable, timeLimit)
                .filter(Objects::nonNull)
                .map(annotation -> "@" + annotation.annotationType().getSimpleName())
                .collect(Collectors.joining(", "));
    }

    private static <A extends Annotation> @Nullable A find(Class<A> type, List<MergedAnnotations> closestFirst) {
        return closestFirst.stream()
                .map(annotations -> annotations.get(type))
                .filter(MergedAnnotation::isPresent)
                .findFirst()
                .map(MergedAnnotation::synthesize)
                .orElse(null);
    }
}
