package dev.resilience.spring.aop.policy;

import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.MethodNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * An annotation that holds for a method and names a policy, or gives one values.
 *
 * @param type of the method, as it is written
 * @param onType whether the annotation stands on the type, and is the same for all of its methods
 */
public record PolicyUse<A extends Annotation>(
        ConfiguredKind<A, ?, ?> kind, A annotation, Method method, Class<?> type, boolean onType) {

    /** The one of a kind; {@code null} if the kind does not protect the method. */
    public static <A extends Annotation> @Nullable PolicyUse<A> of(
            ConfiguredKind<A, ?, ?> kind, ResilienceAnnotations protection, Method method, Class<?> type) {
        A annotation = protection.get(kind.annotation());
        return annotation == null
                ? null
                : new PolicyUse<>(kind, annotation, method, type, protection.isOnType(annotation.annotationType()));
    }

    /** As it is written: empty, or with placeholders. */
    String writtenName() {
        return kind.policyName(annotation);
    }

    /** The class and, unless it is the type that has the annotation, the method. */
    String place() {
        return onType ? type.getName() : MethodNames.full(method, type);
    }
}
