package dev.resilience.spring.aop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.ContextCarrier;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.time.TimeSource;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/** Makes the plan of a method: finds what its annotations name and composes the layers in their order. */
public final class PlanFactory {

    private final ResilienceRegistry registry;
    private final NamedPolicies policies;
    private final IdempotentLayers idempotent;
    private final LayerOrder order;
    private final TimeSource time;
    private final ContextCarrier carrier;
    private final StartupWarnings warnings;

    /**
     * @param names answers for names that are not in the registry
     * @param placeholders resolves {@code ${placeholders}} in policy names
     * @param carrier takes along what is bound to the caller's thread to those on which an asynchronous call goes on
     */
    public PlanFactory(
            ResilienceRegistry registry,
            WrittenNames names,
            LayerOrder order,
            IdempotentMethods idempotentMethods,
            List<IdempotentMethodCheck> idempotentMethodChecks,
            StringValueResolver placeholders,
            TimeSource time,
            ContextCarrier carrier,
            StartupWarnings warnings) {
        this.registry = registry;
        this.policies = new NamedPolicies(registry, names, placeholders);
        this.idempotent = new IdempotentLayers(policies, idempotentMethods, idempotentMethodChecks);
        this.order = order;
        this.time = time;
        this.carrier = carrier;
        this.warnings = warnings;
    }

    /**
     * @param bean whose method it is, if its class does not tell
     */
    MethodPlan create(Method method, Class<?> type, Protection protection, @Nullable String bean) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        List<Layer> layers = new ArrayList<>();
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Boolean asynchronous = collect(mistakes, () -> ReturnTypes.isAsynchronous(method, userClass));
        for (String name : order.names()) {
            Layer layer = collect(mistakes, () -> layer(name, method, userClass, protection, bean, asynchronous));
            if (layer != null) {
                layers.add(layer);
            }
        }
        if (!mistakes.isEmpty() || asynchronous == null) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        IdempotentOperation operation = layers.stream()
                .filter(IdempotentLayers.Made.class::isInstance)
                .map(layer -> ((IdempotentLayers.Made) layer).operation())
                .findFirst()
                .orElse(null);
        return new MethodPlan(Pipeline.of(layers, carrier), operation, asynchronous, protection.retryable() != null);
    }

    /** What is made, or {@code null} and one mistake more. */
    static <T> @Nullable T collect(List<ResilienceConfigurationException> mistakes, Supplier<@Nullable T> made) {
        try {
            return made.get();
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
            return null;
        }
    }

    private @Nullable Layer layer(
            String name,
            Method method,
            Class<?> type,
            Protection protection,
            @Nullable String bean,
            @Nullable Boolean asynchronous) {
        return switch (name) {
            case LayerOrder.FALLBACK -> fallback(method, type, protection);
            case LayerOrder.IDEMPOTENT -> idempotent.make(method, type, protection, bean, asynchronous);
            case LayerOrder.BULKHEAD -> bulkhead(method, type, protection.bulkhead());
            case LayerOrder.CIRCUIT_BREAKER -> circuitBreaker(method, type, protection.circuitBreaker());
            case LayerOrder.RETRY -> retry(method, type, protection);
            case LayerOrder.TIME_LIMIT -> timeLimit(method, type, protection.timeLimit());
            default -> null;
        };
    }

    private @Nullable Layer bulkhead(Method method, Class<?> type, @Nullable Bulkhead annotation) {
        if (annotation == null) {
            return null;
        }
        dev.resilience.bulkhead.Bulkhead bulkhead =
                policies.find(PolicyKind.BULKHEAD, registry.bulkheads(), annotation.value(), method, type);
        if (bulkhead != null && bulkhead.policy().type() == BulkheadPolicy.Type.THREAD_POOL) {
            warnIfTransactional(method, type, "a thread of the bulkhead '" + bulkhead.name() + "'", "");
        }
        return bulkhead;
    }

    private @Nullable Layer circuitBreaker(Method method, Class<?> type, @Nullable CircuitBreaker annotation) {
        return annotation == null
                ? null
                : policies.find(
                        PolicyKind.CIRCUIT_BREAKER, registry.circuitBreakers(), annotation.value(), method, type);
    }

    private @Nullable Layer retry(Method method, Class<?> type, Protection protection) {
        if (protection.retryable() == null) {
            return null;
        }
        Retry retry = policies.find(
                PolicyKind.RETRY, registry.retries(), protection.retryable().value(), method, type);
        if (retry == null) {
            return null;
        }
        if (retry.budget() != null) {
            registry.use(PolicyKind.RETRY_BUDGET, retry.budget().name(), MethodNames.readable(method, type));
        }
        return protection.idempotent() == null ? retry : retry.forIdempotentCalls();
    }

    private @Nullable Layer timeLimit(Method method, Class<?> type, @Nullable TimeLimit annotation) {
        if (annotation == null) {
            return null;
        }
        dev.resilience.timelimit.TimeLimit limit =
                policies.find(PolicyKind.TIME_LIMIT, registry.timeLimits(), annotation.value(), method, type);
        if (limit != null && limit.policy().thread() == RunsOn.WORKER) {
            warnIfTransactional(
                    method,
                    type,
                    "a worker thread of the time limit '" + limit.name() + "'",
                    ", and its own may still be committed or rolled back after the caller has got its exception");
        }
        return limit;
    }

    private void warnIfTransactional(Method method, Class<?> type, String where, String furthermore) {
        if (Transactions.mayBeginAt(method, type)) {
            warnings.add("The method " + MethodNames.full(method, type) + " is @Transactional and runs on " + where
                    + ": it takes no part in a transaction of its caller" + furthermore);
        }
    }

    private @Nullable Layer fallback(Method method, Class<?> type, Protection protection) {
        dev.resilience.annotation.Fallback annotation = protection.fallback();
        if (annotation == null) {
            return null;
        }
        String name = MethodNames.brief(method, type);
        Fallback fallback = registry.fallbacks()
                .computeIfAbsent(
                        MethodNames.full(method, type),
                        key -> new Fallback(name, FallbackResolver.resolve(annotation, method, type), time));
        boolean inside = protection.idempotent() != null && order.putsFallbackInsideIdempotent();
        return inside ? fallback.insideIdempotent() : fallback;
    }
}
