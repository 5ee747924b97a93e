package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.context.ContextCarrier;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.aop.method.ReturnTypes;
import dev.resilience.spring.aop.policy.NamedPolicies;
import dev.resilience.spring.aop.policy.PolicyUse;
import dev.resilience.spring.idempotency.IdempotentLayer;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers;
import dev.resilience.spring.reactor.PublisherType;
import dev.resilience.spring.reactor.SuspendingCalls;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Makes the plan of a method: lets each kind that protects it make its layer, and composes the layers in their order. */
public final class PlanFactory {

    private final LiveRegistry registry;
    private final Kinds kinds;
    private final NamedPolicies policies;
    private final LayerOrder order;
    private final ConfigurableListableBeanFactory beans;
    private final TimeSource time;
    private final ContextCarrier carrier;
    private final StartupWarnings warnings;

    /**
     * @param policies those of the annotations
     * @param beans asked for what layers need
     * @param carrier takes along what is bound to the caller's thread to those on which an asynchronous call goes on
     */
    public PlanFactory(
            LiveRegistry registry,
            Kinds kinds,
            NamedPolicies policies,
            LayerOrder order,
            ConfigurableListableBeanFactory beans,
            TimeSource time,
            ContextCarrier carrier,
            StartupWarnings warnings) {
        this.registry = registry;
        this.kinds = kinds;
        this.policies = policies;
        this.order = order;
        this.beans = beans;
        this.time = time;
        this.carrier = carrier;
        this.warnings = warnings;
    }

    /**
     * @param bean whose method it is, if its class does not tell
     */
    MethodPlan create(Method method, Class<?> type, ResilienceAnnotations written, @Nullable String bean) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        ResilienceAnnotations protection = written.without(switchedOff(method, userClass, written));
        List<Layer> layers = new ArrayList<>();
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Boolean asynchronous =
                ResilienceConfigurationException.collect(mistakes, () -> ReturnTypes.isAsynchronous(method, userClass));
        PublisherType publisher = ReturnTypes.publisher(method, userClass);
        if (publisher != null && publisher.isMultiValue() && protection.has(Idempotent.class)) {
            mistakes.add(idempotentStream(method, userClass));
        }
        boolean repeats = false;
        for (Kind<?, ?> kind : order.kinds()) {
            if (protection.get(kind.annotation()) != null) {
                Layer layer = ResilienceConfigurationException.collect(
                        mistakes, () -> layer(kind, method, userClass, protection, bean, asynchronous));
                if (layer != null) {
                    layers.add(layer);
                }
                repeats |= kind.repeats();
            }
        }
        if (!mistakes.isEmpty() || asynchronous == null) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        IdempotentOperation operation = layers.stream()
                .filter(IdempotentLayer.class::isInstance)
                .map(layer -> ((IdempotentLayer) layer).operation())
                .findFirst()
                .orElse(null);
        return new MethodPlan(
                Pipeline.of(layers, carrier),
                operation,
                asynchronous,
                publisher == null ? null : publishers(method, publisher.publishers(operation != null, carrier)),
                repeats);
    }

    private static ProtectedPublishers publishers(Method method, ProtectedPublishers made) {
        return SuspendingFunctions.is(method) ? new SuspendingCalls(made) : made;
    }

    private static ResilienceConfigurationException idempotentStream(Method method, Class<?> type) {
        boolean suspends = SuspendingFunctions.is(method);
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, type)
                        + " is @Idempotent and returns "
                        + (suspends ? "Flow" : method.getReturnType().getSimpleName())
                        + ", but a stream that has no end yet cannot be stored and replayed",
                "Return "
                        + (suspends
                                ? "a List"
                                : "all elements as one value, such as Mono<List<...>> or Single<List<...>>")
                        + ", or move @Idempotent to a method that does.");
    }

    /** The annotations whose policies are switched off. */
    private Set<Class<? extends Annotation>> switchedOff(
            Method method, Class<?> type, ResilienceAnnotations protection) {
        Set<Class<? extends Annotation>> off = new HashSet<>();
        for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
            PolicyUse<?> use = registry.allAreEnabled(kind.id()) ? null : PolicyUse.of(kind, protection, method, type);
            if (use != null && policies.isSwitchedOff(kind, use)) {
                off.add(use.annotation().annotationType());
            }
        }
        return off;
    }

    private <A extends Annotation> @Nullable Layer layer(
            Kind<A, ?> kind,
            Method method,
            Class<?> type,
            ResilienceAnnotations protection,
            @Nullable String bean,
            @Nullable Boolean asynchronous) {
        return kind.layer(new PlannedMethod<>(this, kind, method, type, protection, bean, asynchronous));
    }

    LiveRegistry registry() {
        return registry;
    }

    Kinds kinds() {
        return kinds;
    }

    NamedPolicies policies() {
        return policies;
    }

    LayerOrder order() {
        return order;
    }

    ConfigurableListableBeanFactory beans() {
        return beans;
    }

    TimeSource time() {
        return time;
    }

    StartupWarnings warnings() {
        return warnings;
    }
}
