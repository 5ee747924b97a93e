package dev.resilience.spring.aop;

import dev.resilience.annotation.Hedge;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethod;
import dev.resilience.spring.idempotency.MessageListeners;
import dev.resilience.spring.kind.CallObservations;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.SpringAnnotations;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.properties.AnnotatedPolicies.PolicyUse;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * Makes the plan of a method: lets each kind that protects it make its layer, and composes the layers in their order.
 *
 * @param policies those of the annotations
 * @param beans asked for what layers need
 */
public record PlanFactory(
        LiveRegistry registry,
        Kinds kinds,
        NamedPolicies policies,
        LayerOrder order,
        ConfigurableListableBeanFactory beans,
        Environment environment,
        StartupWarnings warnings) {

    /**
     * @param bean whose method it is, if its class does not tell
     */
    MethodPlan create(Method method, Class<?> type, ResilienceAnnotations written, @Nullable String bean) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        ResilienceAnnotations protection = written.without(switchedOff(method, userClass, written));
        List<Layer> layers = new ArrayList<>();
        StartupProblems problems = new StartupProblems();
        Boolean asynchronous = problems.collect(() -> ReturnTypes.isAsynchronous(method, userClass));
        PublisherType publisher = ReturnTypes.publisher(method, userClass);
        boolean isIdempotent = protection.has(Idempotent.class);
        if (publisher != null && publisher.isMultiValue() && (isIdempotent || protection.has(Hedge.class))) {
            problems.add(stream(method, userClass, isIdempotent ? "@Idempotent" : "@Hedge"));
        }
        MessageListeners listeners = MessageListeners.of(beans.getBeanProvider(MessageListeners.class), method);
        PlannedMethod<Retryable> planned = new PlannedMethod<>(
                this, kinds.get(RetryKind.class), method, userClass, protection, bean, asynchronous);
        if (listeners != null) {
            problems.collect(() -> layers.add(listeners.aroundDeliveries(planned)));
        }
        boolean repeats = listeners != null;
        Map<String, String> used = new LinkedHashMap<>();
        for (Kind<?, ?> kind : order.kinds()) {
            if (protection.get(kind.annotation()) != null) {
                Layer layer = problems.collect(() -> layer(kind, planned));
                if (layer != null) {
                    layers.add(layer);
                    used.put(kind.id(), policy(kind, method, userClass, protection));
                }
                repeats |= kind.repeats();
            }
        }
        if (!problems.isEmpty()) {
            throw problems.all().or(protection.cure());
        }
        if (protection.has(Retryable.class)) {
            RetryChecks.check(planned, registry);
        }
        IdempotentMethod operation = null;
        for (Layer layer : layers) {
            operation = layer instanceof IdempotentMethod idempotent ? idempotent : operation;
        }
        beans.getBeanProvider(CallObservations.class)
                .ifAvailable(observations -> observations.observe(layers, method, userClass, used));
        return new MethodPlan(
                Pipeline.of(layers, environment.carrier()),
                operation,
                Boolean.TRUE.equals(asynchronous),
                publisher == null
                        ? null
                        : publisher.publishers(
                                SuspendingFunctions.is(method), operation == null ? null : environment.carrier()),
                repeats,
                new MethodPlan.ChainPosition());
    }

    /** The name of the policy of a kind, which a layer has been made of; that of the method if the kind has none. */
    private String policy(Kind<?, ?> kind, Method method, Class<?> type, ResilienceAnnotations protection) {
        PolicyUse<?> use =
                kind instanceof ConfiguredKind<?, ?, ?> configured ? protection.use(configured, method, type) : null;
        LiveObject<?> live = use == null ? null : policies.find(use.kind(), use);
        return live == null ? MethodNames.brief(method, type) : live.name();
    }

    private static ResilienceConfigurationException stream(Method method, Class<?> type, String annotation) {
        boolean suspends = SuspendingFunctions.is(method);
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, type) + " is " + annotation + " and returns "
                        + (suspends ? "Flow" : method.getReturnType().getSimpleName())
                        + ", but a stream that has no end yet can be neither stored and replayed nor called twice",
                "Return "
                        + (suspends
                                ? "a List"
                                : "all elements as one value, such as Mono<List<...>> or Single<List<...>>")
                        + ", or move " + annotation + " to a method that does, or set enabled = false on it here.");
    }

    /** The annotations whose policies are switched off. */
    private Set<Class<? extends Annotation>> switchedOff(
            Method method, Class<?> type, ResilienceAnnotations protection) {
        Set<Class<? extends Annotation>> off = new HashSet<>();
        for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
            PolicyUse<?> use = registry.allAreEnabled(kind.id()) ? null : protection.use(kind, method, type);
            if (use != null && policies.isSwitchedOff(kind, use)) {
                off.add(use.annotation().annotationType());
            }
        }
        return off;
    }

    private static <A extends Annotation> @Nullable Layer layer(Kind<A, ?> kind, PlannedMethod<?> method) {
        return kind.layer(method.as(kind));
    }

    /** A method for which one kind makes its layer. */
    private record PlannedMethod<A extends Annotation>(
            PlanFactory application,
            Kind<A, ?> kind,
            Method method,
            Class<?> type,
            ResilienceAnnotations protection,
            @Nullable String bean,
            @Nullable Boolean isAsynchronous)
            implements ProtectedMethod<A> {

        <B extends Annotation> PlannedMethod<B> as(Kind<B, ?> other) {
            return new PlannedMethod<>(application, other, method, type, protection, bean, isAsynchronous);
        }

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
            return SpringAnnotations.isTransactional(method, type);
        }

        @Override
        public <B extends Annotation> @Nullable B annotation(Class<B> annotation) {
            return protection.get(annotation);
        }

        @Override
        public boolean isInside(String layer) {
            return application.order.isInside(kind, layer);
        }

        @Override
        public <B extends Annotation, L extends LiveObject<?>> @Nullable L live(ConfiguredKind<B, ?, L> other) {
            PolicyUse<B> use = protection.use(other, method, type);
            return use == null ? null : application.policies.find(other, use);
        }

        @Override
        public <L extends LiveObject<?>> @Nullable L live(Class<? extends ConfiguredKind<?, ?, L>> other) {
            ConfiguredKind<?, ?, L> kindOfBean = application.kinds.get(other);
            return live(kindOfBean);
        }

        @Override
        public <L> L own(Kind<A, L> itself, Function<Collection<L>, L> making) {
            Map<String, L> all = application.registry.ofKind(itself.id());
            return application.registry.computeIfAbsent(
                    itself.id(), MethodNames.full(method, type), () -> making.apply(all.values()));
        }

        @Override
        public void uses(Class<? extends ConfiguredKind<?, ?, ?>> other, String policy) {
            application.registry.use(application.kinds.get(other).id(), policy, MethodNames.readable(method, type));
        }

        @Override
        public TimeSource time() {
            return application.environment.time();
        }

        @Override
        public StartupWarnings warnings() {
            return application.warnings;
        }

        @Override
        public <T> ObjectProvider<T> beans(Class<T> wanted) {
            return application.beans.getBeanProvider(wanted);
        }

        @Override
        public ConfigurableListableBeanFactory beanFactory() {
            return application.beans;
        }
    }
}
