package dev.resilience.spring.observation;

import dev.resilience.context.CallContext;
import dev.resilience.context.CallObserver;
import dev.resilience.log.FoldedLog;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.spring.kind.CallObservations;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.time.TimeSource;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Decides at startup which methods are observed: those whose observations a handler gets. The others have no layer for it. */
public record ObservedMethods(ConfigurableListableBeanFactory beans, FoldedLog log) implements CallObservations {

    private static final Logger logger = LoggerFactory.getLogger(ObservedMethods.class);

    /** @param beans asked for the registry when the first method is resolved */
    public ObservedMethods(ConfigurableListableBeanFactory beans) {
        this(beans, new FoldedLog(logger, TimeSource.system(), "Observations", "all", "listener_summary", Map::of));
    }

    @Override
    public void observe(List<Layer> layers, Method method, Class<?> type, Map<String, String> policies) {
        KeyValues keys = KeyValues.of(
                KeyValue.of("code.function.name", type.getName() + "." + method.getName()),
                KeyValue.of("kind", String.join(",", policies.keySet())),
                KeyValue.of("policy", String.join(",", new LinkedHashSet<>(policies.values()))));
        ObservationRegistry registry = registry();
        ObservedMethod observed = new ObservedMethod(registry, MethodNames.brief(method, type), keys, policies, log);
        if (!policies.isEmpty() && !registry.isNoop() && observed.observe(() -> null) != null) {
            CallObserver.watchBeginnings();
            layers.add(0, next -> new ObservationStep(next, observed));
        }
    }

    /** None for a call so early that the registry would not get its handlers, be it that one of them makes the call. */
    private ObservationRegistry registry() {
        try {
            return beans.isConfigurationFrozen()
                    ? beans.getBeanProvider(ObservationRegistry.class).getIfUnique(() -> ObservationRegistry.NOOP)
                    : ObservationRegistry.NOOP;
        } catch (BeansException inCreation) {
            log.callbackFailed("the registry of observations", "methods called so early are not observed", inCreation);
            return ObservationRegistry.NOOP;
        }
    }

    /** A method whose calls are observed. */
    record ObservedMethod(
            ObservationRegistry registry, String name, KeyValues keys, Map<String, String> policies, FoldedLog log) {

        /** What is to observe a call; {@code null} if nothing does. */
        @Nullable
        ObservedCall observe(Invocation invocation) {
            if (CallContext.ofThread()[CallContext.OBSERVER] == ObservedCall.HANDLER) {
                return null;
            }
            try {
                Observation observation = Observation.createNotStarted(
                        "resilience.call", () -> new ProtectedCallContext(name, keys), registry);
                return observation.isNoop() ? null : new ObservedCall(this, observation, invocation);
            } catch (Throwable broken) { // a predicate, or a convention that is asked whether it is one for this
                log.callbackFailed("a predicate of observations", "calls are not observed", broken);
                return null;
            }
        }
    }
}
