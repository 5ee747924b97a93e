package dev.resilience.spring.fallback;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Warns at startup of fallbacks that work, but leave something that is written without effect. */
final class FallbackChecks {

    /** What does its work when a call fails, by its name in {@code resilience.order}, and what it sees no failure for. */
    private static final Map<String, Class<? extends Annotation>> IN_VAIN =
            Map.of("retry", Retryable.class, "circuit-breaker", CircuitBreaker.class);

    private FallbackChecks() {}

    static void check(ProtectedMethod<Fallback> method, ReflectiveFallback fallback) {
        IN_VAIN.forEach((layer, annotation) -> {
            if (fallback.answersForAll() && method.isProtectedBy(annotation) && method.isInside(layer)) {
                method.warnings()
                        .add("The fallback of " + MethodNames.full(method.method(), method.type())
                                + " stands inside of its @" + annotation.getSimpleName()
                                + " and answers for every exception, so that the " + layer.replace('-', ' ')
                                + " sees no failure. Put 'fallback' before '" + layer
                                + "' in 'resilience.order', or say what it answers for: @Fallback(on = …)");
            }
        });
        if (FallbackResolver.beanName(method.annotation()) == null) {
            fallback.methods().forEach(answering -> warnIfProtected(answering, method));
        }
    }

    private static void warnIfProtected(Method answering, ProtectedMethod<Fallback> method) {
        String unused = MergedAnnotations.from(answering, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(found -> found.getValue("enabled", Boolean.class).orElse(true))
                .map(MergedAnnotation::getType)
                .filter(type -> type.getPackage() == Fallback.class.getPackage())
                .map(type -> "@" + type.getSimpleName())
                .collect(Collectors.joining(", "));
        if (!unused.isEmpty()) {
            method.warnings()
                    .add("The fallback method " + MethodNames.full(answering, method.type()) + " is annotated with "
                            + unused + ", which does nothing when it answers for "
                            + MethodNames.readable(method.method(), method.type())
                            + ": it is called inside of its bean. Name it with its bean: @Fallback(\"bean::"
                            + answering.getName() + "\")");
        }
    }
}
