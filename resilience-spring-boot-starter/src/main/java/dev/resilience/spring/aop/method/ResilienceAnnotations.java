package dev.resilience.spring.aop.method;

import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The annotations that hold for a method: its own, and for each that it does not have, its type's. Found on
 * superclasses and interfaces too, and as meta-annotations.
 *
 * @param byType the annotations in the default order of their layers
 * @param onMethod whether the method itself has one of them
 */
public record ResilienceAnnotations(Map<Class<? extends Annotation>, Annotation> byType, boolean onMethod) {

    /** The annotations on a type, which hold for its public methods. */
    static MergedAnnotations onType(Class<?> type) {
        return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
    }

    /** The protection of a method of a class or of what it extends, or {@code null} if there is none. */
    static @Nullable ResilienceAnnotations of(Method method, Class<?> type, MergedAnnotations onType, Kinds kinds) {
        MergedAnnotations own = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        // an interface of the class that the superclass with the body does not know
        Method declared = ClassUtils.getInterfaceMethodIfPossible(method, type);
        MergedAnnotations onInterface = MergedAnnotations.from(declared, SearchStrategy.TYPE_HIERARCHY);
        boolean itself = hasAny(own, kinds) || hasAny(onInterface, kinds);
        if (!itself && !hasAny(onType, kinds)) {
            return null;
        }
        Map<Class<? extends Annotation>, Annotation> byType = new LinkedHashMap<>();
        for (Kind<?, ?> kind : kinds.layers()) {
            add(kind, method, List.of(own, onInterface), onType, byType);
        }
        return new ResilienceAnnotations(byType, itself);
    }

    private static <A extends Annotation> void add(
            Kind<A, ?> kind,
            Method method,
            List<MergedAnnotations> ofMethod,
            MergedAnnotations onType,
            Map<Class<? extends Annotation>, Annotation> byType) {
        Class<A> type = kind.annotation();
        if (type == null) {
            return;
        }
        for (MergedAnnotations annotations : ofMethod) {
            MergedAnnotation<A> found = annotations.get(type);
            if (found.isPresent()) {
                byType.put(type, found.synthesize());
                return;
            }
        }
        MergedAnnotation<A> found = onType.get(type);
        if (found.isPresent()) {
            A ofType = found.synthesize();
            if (kind.holdsFor(ofType, method)) {
                byType.put(type, ofType);
            }
        }
    }

    static boolean hasAny(MergedAnnotations annotations, Kinds kinds) {
        return kinds.annotations().stream().anyMatch(annotations::isPresent);
    }

    public boolean has(Class<? extends Annotation> type) {
        return byType.containsKey(type);
    }

    /** The annotation of a type; {@code null} if it does not hold for the method. */
    public <A extends Annotation> @Nullable A get(@Nullable Class<A> type) {
        Annotation annotation = type == null ? null : byType.get(type);
        return type == null || annotation == null ? null : type.cast(annotation);
    }

    public Collection<Annotation> annotations() {
        return byType.values();
    }

    /** As in source: {@code @Bulkhead, @Retryable}. */
    @Override
    public String toString() {
        return annotations().stream()
                .map(annotation -> "@" + annotation.annotationType().getSimpleName())
                .collect(Collectors.joining(", "));
    }
}
