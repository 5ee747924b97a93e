package dev.resilience.spring.fallback;

import static dev.resilience.spring.WarningId.ANNOTATION_ON_FALLBACK;
import static dev.resilience.spring.WarningId.FALLBACK_NEVER_CALLED;
import static dev.resilience.spring.WarningId.LAYER_WITHOUT_EFFECT;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.fallback.Fallback;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Retry;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.retry.RetryKind;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Fallbacks: {@code @Fallback}. They belong to methods, and nothing of them is configured. */
public final class FallbackKind extends Kind<dev.resilience.annotation.Fallback, Fallback> {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.fallback.calls", "calls", "Calls of fallback methods by how they ended");

    /** What does its work when a call fails, by its name in {@code resilience.order}, and what it sees no failure for. */
    private static final Map<String, Class<? extends Annotation>> IN_VAIN =
            Map.of("retry", Retryable.class, "circuit-breaker", CircuitBreaker.class);

    public FallbackKind() {
        super("fallback", dev.resilience.annotation.Fallback.class, null);
    }

    /** A method that its type's annotation names is not its own fallback. */
    @Override
    public boolean holdsFor(dev.resilience.annotation.Fallback ofType, Method method) {
        return !ofType.value().equals(method.getName());
    }

    @Override
    public Layer layer(ProtectedMethod<dev.resilience.annotation.Fallback> method) {
        Fallback fallback = method.own(this, others -> make(method, others));
        Retry retry = RetryKind.of(method);
        return retry != null && retry.policy().deadLetter() ? fallback.exceptInReplays() : fallback;
    }

    /** Overloads have one name, and so one series. */
    private static Fallback make(
            ProtectedMethod<dev.resilience.annotation.Fallback> method, Collection<Fallback> others) {
        String name = MethodNames.brief(method.method(), method.type());
        ReflectiveFallback fallback = new FallbackResolver(
                        method.annotation(), method.method(), method.type(), method.beanFactory())
                .resolve();
        check(method, fallback);
        for (Fallback other : others) {
            if (other.name().equals(name)) {
                return other.with(fallback);
            }
        }
        return new Fallback(name, fallback, method.time());
    }

    /** Warns at startup of a fallback that works, but leaves something that is configured without effect. */
    private static void check(ProtectedMethod<dev.resilience.annotation.Fallback> method, ReflectiveFallback fallback) {
        IN_VAIN.forEach((layer, annotation) -> {
            if (fallback.answersForAll() && method.annotation(annotation) != null && method.isInside(layer)) {
                method.warnings()
                        .add(LAYER_WITHOUT_EFFECT.of("The fallback of "
                                + MethodNames.full(method.method(), method.type()) + " stands inside its @"
                                + annotation.getSimpleName() + " and answers for every exception, so that the "
                                + layer.replace('-', ' ') + " sees no failure. Put 'fallback' before '" + layer
                                + "' in 'resilience.order', or say what it answers for: @Fallback(on = …)"));
            }
        });
        fallback.unreachable()
                .forEach(answering -> method.warnings()
                        .add(FALLBACK_NEVER_CALLED.of("The fallback method "
                                + MethodNames.full(answering, method.type()) + " is never called, because it takes a "
                                + "refusal that concerns the caller's own key: list that refusal in 'on' of "
                                + "@Fallback, or remove the method")));
        if (FallbackResolver.beanName(method.annotation()) == null) {
            fallback.methods().forEach(answering -> warnIfProtected(answering, method));
        }
    }

    private static void warnIfProtected(Method answering, ProtectedMethod<dev.resilience.annotation.Fallback> method) {
        String unused = MergedAnnotations.from(answering, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(found -> found.getValue("enabled", Boolean.class).orElse(true))
                .map(MergedAnnotation::getType)
                .filter(type -> type.getPackage() == Retryable.class.getPackage())
                .map(type -> "@" + type.getSimpleName())
                .collect(Collectors.joining(", "));
        if (!unused.isEmpty()) {
            method.warnings()
                    .add(ANNOTATION_ON_FALLBACK.of("The fallback method " + MethodNames.full(answering, method.type())
                            + " is annotated with " + unused + ", which does nothing when it answers for "
                            + MethodNames.readable(method.method(), method.type()) + ": it is called inside its bean. "
                            + "Name it with its bean: @Fallback(\"bean::" + answering.getName() + "\")"));
        }
    }

    @Override
    public String name(Fallback fallback) {
        return fallback.name();
    }

    @Override
    public void meters(Fallback fallback, Meters meters) {
        meters.outcomes(CALLS, fallback.calls());
    }
}
