package dev.resilience.spring.aop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/** Makes the plan of a method: finds what its annotations name and composes the layers in their order. */
public final class PlanFactory {

    private final ResilienceRegistry registry;
    private final LayerOrder order;
    private final IdempotentMethods idempotentMethods;
    private final List<IdempotentMethodCheck> idempotentMethodChecks;
    private final StringValueResolver placeholders;
    private final StartupWarnings warnings;

    /**
     * @param placeholders resolves {@code ${placeholders}} in policy names
     */
    public PlanFactory(
            ResilienceRegistry registry,
            LayerOrder order,
            IdempotentMethods idempotentMethods,
            List<IdempotentMethodCheck> idempotentMethodChecks,
            StringValueResolver placeholders,
            StartupWarnings warnings) {
        this.registry = registry;
        this.order = order;
        this.idempotentMethods = idempotentMethods;
        this.idempotentMethodChecks = idempotentMethodChecks;
        this.placeholders = placeholders;
        this.warnings = warnings;
    }

    MethodPlan create(Method method, Class<?> type, Protection protection) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        boolean asynchronous = ReturnTypes.isAsynchronous(method, userClass);
        List<Layer> layers = new ArrayList<>();
        if (protection.fallback() != null) {
            layers.add(fallback(method, userClass, protection.fallback()));
        }
        for (String name : order.names()) {
            Layer layer = layer(name, method, userClass, protection, asynchronous);
            if (layer != null) {
                layers.add(layer);
            }
        }
        return new MethodPlan(Pipeline.of(layers), asynchronous, protection.retryable() != null);
    }

    private @Nullable Layer layer(
            String name, Method method, Class<?> type, Protection protection, boolean asynchronous) {
        return switch (name) {
            case LayerOrder.IDEMPOTENT -> idempotency(method, type, protection, asynchronous);
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
                find(PolicyKind.BULKHEAD, registry.bulkheads(), annotation.value(), method, type);
        if (bulkhead.policy().type() == BulkheadPolicy.Type.THREAD_POOL) {
            warnIfTransactional(method, type, "a thread of the bulkhead '" + bulkhead.name() + "'", "");
        }
        return bulkhead;
    }

    private @Nullable Layer circuitBreaker(Method method, Class<?> type, @Nullable CircuitBreaker annotation) {
        return annotation == null
                ? null
                : find(PolicyKind.CIRCUIT_BREAKER, registry.circuitBreakers(), annotation.value(), method, type);
    }

    private @Nullable Layer retry(Method method, Class<?> type, Protection protection) {
        if (protection.retryable() == null) {
            return null;
        }
        Retry retry = find(
                PolicyKind.RETRY, registry.retries(), protection.retryable().value(), method, type);
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
                find(PolicyKind.TIME_LIMIT, registry.timeLimits(), annotation.value(), method, type);
        if (limit.policy().thread() == RunsOn.WORKER) {
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

    private @Nullable Layer idempotency(Method method, Class<?> type, Protection protection, boolean asynchronous) {
        Idempotent annotation = protection.idempotent();
        if (annotation == null) {
            return null;
        }
        Idempotency idempotency =
                find(PolicyKind.IDEMPOTENCY, registry.idempotencies(), annotation.value(), method, type);
        String name = MethodNames.full(method, type);
        idempotentMethodChecks.forEach(check -> check.check(method, type, name, idempotency.policy(), asynchronous));
        return idempotency.protecting(idempotentMethods.create(
                method,
                type,
                name,
                annotation,
                idempotency.policy(),
                ReturnTypes.resultType(method, type, asynchronous),
                isFinal(method, type, protection)));
    }

    /** A result that asks for a retry is not the last one. */
    private Predicate<@Nullable Object> isFinal(Method method, Class<?> type, Protection protection) {
        if (protection.retryable() == null) {
            return result -> true;
        }
        Retry retry = find(
                PolicyKind.RETRY, registry.retries(), protection.retryable().value(), method, type);
        return result -> !retry.asksForRetry(result);
    }

    private Fallback fallback(Method method, Class<?> type, dev.resilience.annotation.Fallback annotation) {
        String name = MethodNames.brief(method, type);
        return registry.fallbacks()
                .computeIfAbsent(
                        MethodNames.full(method, type),
                        key -> new Fallback(name, FallbackResolver.resolve(annotation, method, type)));
    }

    private <T> T find(PolicyKind kind, Map<String, T> live, String written, Method method, Class<?> type) {
        String name = resolve(kind, written, method, type);
        T found = live.get(name);
        if (found == null) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " names the " + kind.id() + " policy '" + name
                            + (name.equals(written) ? "'" : "' by '" + written + "'") + ", but there is no '"
                            + kind.prefix() + "." + name + "'",
                    "Correct the name in the annotation, or configure the policy under '" + kind.prefix() + "." + name
                            + "'. " + NearestNames.suggest(name, live.keySet()));
        }
        registry.use(kind, name, MethodNames.readable(method, type));
        return found;
    }

    private String resolve(PolicyKind kind, String written, Method method, Class<?> type) {
        try {
            return String.valueOf(placeholders.resolveStringValue(written));
        } catch (IllegalArgumentException unresolved) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " names a " + kind.id() + " policy by '" + written
                            + "', which cannot be resolved: " + unresolved.getMessage(),
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
    }
}
