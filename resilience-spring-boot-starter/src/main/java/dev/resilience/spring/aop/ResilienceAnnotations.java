package dev.resilience.spring.aop;

import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.AnnotatedPolicies.PolicyUse;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * The annotations that hold for a method: its own, and for each that it does not have, its type's, or else those that bindings stand
 * for. Found on superclasses and interfaces too, and as meta-annotations.
 *
 * @param byType the annotations in the default order of their layers
 * @param onType which of them the type has, or a binding stands for, and not the method itself
 * @param bound where bindings stand for them, in words
 */
public record ResilienceAnnotations(
        Map<Class<? extends Annotation>, Annotation> byType,
        Set<Class<? extends Annotation>> onType,
        Map<Class<? extends Annotation>, String> bound) {

    /** The attribute that switches a kind off for a method. */
    private static final String ENABLED = "enabled";

    /** The annotations on a type, which hold for its methods that are not private, unless they are switched off. */
    static Map<Class<? extends Annotation>, Bindings.Bound> onType(Class<?> type, Kinds kinds) {
        MergedAnnotations all = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        Map<Class<? extends Annotation>, Bindings.Bound> found = new HashMap<>();
        for (Class<? extends Annotation> annotation : kinds.annotations()) {
            MergedAnnotation<?> one = all.get(annotation);
            if (one.isPresent()) {
                found.put(annotation, new Bindings.Bound(one.synthesize(), ""));
            }
        }
        return found;
    }

    /** The protection of a method of a class or of what it extends, or {@code null} if there is none. */
    static @Nullable ResilienceAnnotations of(
            Method method, Class<?> type, Map<Class<? extends Annotation>, Bindings.Bound> ofType, Kinds kinds) {
        List<MergedAnnotations> ofMethod = new ArrayList<>();
        ofMethod.add(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
        // an interface of the class that the superclass with the body does not know
        Method declared = ClassUtils.getInterfaceMethodIfPossible(method, type);
        if (!declared.equals(method)) {
            ofMethod.add(MergedAnnotations.from(declared, SearchStrategy.TYPE_HIERARCHY));
        }
        ResilienceAnnotations found =
                new ResilienceAnnotations(new LinkedHashMap<>(), new HashSet<>(), new HashMap<>());
        kinds.layers().forEach(kind -> found.add(kind, method, ofMethod, ofType));
        return found.byType.isEmpty() ? null : found;
    }

    private <A extends Annotation> void add(
            Kind<A, ?> kind,
            Method method,
            List<MergedAnnotations> ofMethod,
            Map<Class<? extends Annotation>, Bindings.Bound> ofType) {
        Class<A> type = kind.annotation();
        if (type == null) {
            return;
        }
        for (MergedAnnotations annotations : ofMethod) {
            MergedAnnotation<A> found = annotations.get(type);
            if (found.isPresent()) {
                if (isEnabled(found)) {
                    byType.put(type, found.synthesize());
                }
                return;
            }
        }
        Bindings.Bound found = ofType.get(type);
        if (found != null
                && isEnabled(MergedAnnotation.from(found.annotation()))
                && kind.holdsFor(type.cast(found.annotation()), method)) {
            byType.put(type, found.annotation());
            onType.add(type);
            if (!found.place().isEmpty()) {
                bound.put(type, found.place());
            }
        }
    }

    private static boolean isEnabled(MergedAnnotation<?> annotation) {
        return annotation.getValue(ENABLED, Boolean.class).orElse(true);
    }

    /** Whether the method itself has one of the annotations. */
    public boolean onMethod() {
        return !onType.containsAll(byType.keySet());
    }

    /** What the annotation of a kind says of policies; {@code null} if the kind does not protect the method. */
    <A extends Annotation> @Nullable PolicyUse<A> use(ConfiguredKind<A, ?, ?> kind, Method method, Class<?> type) {
        A annotation = get(kind.annotation());
        return annotation == null
                ? null
                : new PolicyUse<>(kind, annotation, method, type, onType.contains(annotation.annotationType()));
    }

    /** Those that are left without some. */
    public ResilienceAnnotations without(Collection<Class<? extends Annotation>> types) {
        if (types.isEmpty()) {
            return this;
        }
        Map<Class<? extends Annotation>, Annotation> left = new LinkedHashMap<>(byType);
        left.keySet().removeAll(types);
        return new ResilienceAnnotations(left, onType, bound);
    }

    public boolean has(Class<? extends Annotation> type) {
        return byType.containsKey(type);
    }

    /** The annotation of a type; {@code null} if it does not hold for the method. */
    public <A extends Annotation> @Nullable A get(@Nullable Class<A> type) {
        Annotation annotation = type == null ? null : byType.get(type);
        return type == null || annotation == null ? null : type.cast(annotation);
    }

    /** What else to do about a method that cannot be protected by what does not stand on the method itself. */
    String cure() {
        String ofType = " It has " + this + " from its type: make it private, annotate the other methods in "
                + "place of the type, or set 'enabled = false' on it (@Fallback lacks that).";
        String ofBinding = " Or leave it out of the pointcut, by '&& !execution(...)' or '&& !within(...)'.";
        return onMethod() ? "" : bound.isEmpty() ? ofType : ofBinding;
    }

    /** As in source: {@code @Bulkhead, @Retryable}; with the property of a binding that stands for one. */
    @Override
    public String toString() {
        return byType.keySet().stream()
                .map(type -> "@" + type.getSimpleName() + bound.getOrDefault(type, ""))
                .collect(Collectors.joining(", "));
    }
}
