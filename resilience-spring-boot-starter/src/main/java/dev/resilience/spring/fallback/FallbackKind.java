package dev.resilience.spring.fallback;

import dev.resilience.annotation.Idempotent;
import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackReport;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.retry.RetryKind;
import java.lang.reflect.Method;
import java.util.Collection;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** Fallbacks: {@code @Fallback}. They belong to methods, and nothing of them is configured. */
public final class FallbackKind extends Kind<dev.resilience.annotation.Fallback, Fallback> {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.fallback.calls", "calls", "Calls of fallback methods by how they ended");

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
        Layer layer = method.isProtectedBy(Idempotent.class) && method.isInside("idempotent")
                ? fallback.insideIdempotent()
                : fallback;
        return keepsDeadLetters(method) ? Fallback.exceptInReplays(layer) : layer;
    }

    private static boolean keepsDeadLetters(ProtectedMethod<dev.resilience.annotation.Fallback> method) {
        try {
            Retry retry = method.live(RetryKind.class);
            return retry != null && retry.deadLetters() != null;
        } catch (ResilienceConfigurationException ofRetry) {
            return false; // the retry's own layer is refused for it
        }
    }

    /** Overloads have one name, and so one series. */
    private static Fallback make(
            ProtectedMethod<dev.resilience.annotation.Fallback> method, Collection<Fallback> others) {
        String name = MethodNames.brief(method.method(), method.type());
        FallbackReport report = others.stream()
                .filter(other -> other.name().equals(name))
                .findFirst()
                .map(Fallback::report)
                .orElseGet(() -> new FallbackReport(name, method.time()));
        ReflectiveFallback fallback =
                FallbackResolver.resolve(method.annotation(), method.method(), method.type(), method.beanFactory());
        FallbackChecks.check(method, fallback);
        return new Fallback(report, fallback);
    }

    @Override
    public String name(Fallback fallback) {
        return fallback.name();
    }

    @Override
    public void meters(Fallback fallback, Meters meters) {
        meters.outcomes(CALLS, fallback.calls());
    }

    @Override
    public void hints(
            dev.resilience.annotation.Fallback annotation,
            Method method,
            Class<?> type,
            ResolvableType result,
            ReflectionHints hints) {
        if (FallbackResolver.beanName(annotation) == null) {
            register(annotation, new OwnBean(type), hints);
        }
    }

    @Override
    public void hints(
            dev.resilience.annotation.Fallback annotation,
            ConfigurableListableBeanFactory beans,
            ReflectionHints hints) {
        String bean = FallbackResolver.beanName(annotation);
        if (bean != null && beans.containsBean(bean)) {
            register(annotation, new NamedBean(bean, beans), hints);
        }
    }

    private static void register(
            dev.resilience.annotation.Fallback annotation, FallbackOwner owner, ReflectionHints hints) {
        String name = FallbackResolver.methodName(annotation);
        owner.methods().stream()
                .map(FallbackCandidate::method)
                .filter(candidate -> candidate.getName().equals(name))
                .forEach(candidate -> hints.registerMethod(candidate, ExecutableMode.INVOKE));
    }

    @Override
    public void close(Fallback fallback) {
        fallback.close();
    }
}
