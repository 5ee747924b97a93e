package dev.resilience.spring.aop;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.aop.method.ReturnTypes;
import dev.resilience.spring.aop.method.TransactionalMethods;
import dev.resilience.spring.aop.policy.PolicyUse;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * A method for which one kind makes its layer.
 *
 * @param application what the plans of all methods are made with
 */
record PlannedMethod<A extends Annotation>(
        PlanFactory application,
        Kind<A, ?> kind,
        Method method,
        Class<?> type,
        ResilienceAnnotations protection,
        @Nullable String bean,
        @Nullable Boolean isAsynchronous)
        implements ProtectedMethod<A> {

    @Override
    public A annotation() {
        return Objects.requireNonNull(protection.get(kind.annotation()));
    }

    @Override
    public ResolvableType resultType() {
        return ReturnTypes.resultType(method, type, Boolean.TRUE.equals(isAsynchronous));
    }

    @Override
    public boolean isTransactional() {
        return TransactionalMethods.mayBeginAt(method, type);
    }

    @Override
    public boolean isProtectedBy(Class<? extends Annotation> annotation) {
        return protection.has(annotation);
    }

    @Override
    public <B extends Annotation> @Nullable B annotation(Class<B> annotation) {
        return protection.get(annotation);
    }

    @Override
    public boolean isInside(String layer) {
        return application.order().isInside(kind, layer);
    }

    @Override
    public <B extends Annotation, L extends LiveObject<?>> @Nullable L live(ConfiguredKind<B, ?, L> other) {
        PolicyUse<B> use = PolicyUse.of(other, protection, method, type);
        return use == null ? null : application.policies().find(other, use);
    }

    @Override
    public <L extends LiveObject<?>> @Nullable L live(Class<? extends ConfiguredKind<?, ?, L>> other) {
        ConfiguredKind<?, ?, L> kindOfBean = application.kinds().get(other);
        return live(kindOfBean);
    }

    @Override
    public <L> L own(Kind<A, L> itself, Function<Collection<L>, L> making) {
        Map<String, L> all = application.registry().ofKind(itself.id());
        return application
                .registry()
                .orMake(itself.id(), MethodNames.full(method, type), () -> making.apply(all.values()));
    }

    @Override
    public void uses(Class<? extends ConfiguredKind<?, ?, ?>> other, String policy) {
        application.registry().use(application.kinds().get(other).id(), policy, MethodNames.readable(method, type));
    }

    @Override
    public TimeSource time() {
        return application.time();
    }

    @Override
    public StartupWarnings warnings() {
        return application.warnings();
    }

    @Override
    public <T> ObjectProvider<T> beans(Class<T> wanted) {
        return application.beans().getBeanProvider(wanted);
    }

    @Override
    public ConfigurableListableBeanFactory beanFactory() {
        return application.beans();
    }
}
