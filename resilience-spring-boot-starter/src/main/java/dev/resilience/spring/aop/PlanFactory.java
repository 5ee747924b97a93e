package dev.resilience.spring.aop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.fallback.Fallback;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.spring.MistakeKind;
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
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/** Makes the plan of a method: finds what its annotations name and composes the layers in their order. */
public final class PlanFactory {

    /** Where the policy itself is broken the method is checked all the same, and only for what no policy allows. */
    private static final IdempotencyPolicy LENIENT = IdempotencyPolicy.builder()
            .scope(IdempotencyPolicy.Scope.NONE)
            .fingerprint(false)
            .build();

    private final ResilienceRegistry registry;
    private final WrittenNames names;
    private final LayerOrder order;
    private final IdempotentMethods idempotentMethods;
    private final List<IdempotentMethodCheck> idempotentMethodChecks;
    private final StringValueResolver placeholders;
    private final TimeSource time;
    private final StartupWarnings warnings;

    /**
     * @param names answers for names that are not in the registry
     * @param placeholders resolves {@code ${placeholders}} in policy names
     */
    public PlanFactory(
            ResilienceRegistry registry,
            WrittenNames names,
            LayerOrder order,
            IdempotentMethods idempotentMethods,
            List<IdempotentMethodCheck> idempotentMethodChecks,
            StringValueResolver placeholders,
            TimeSource time,
            StartupWarnings warnings) {
        this.registry = registry;
        this.names = names;
        this.order = order;
        this.idempotentMethods = idempotentMethods;
        this.idempotentMethodChecks = idempotentMethodChecks;
        this.placeholders = placeholders;
        this.time = time;
        this.warnings = warnings;
    }

    MethodPlan create(Method method, Class<?> type, Protection protection) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        boolean asynchronous = ReturnTypes.isAsynchronous(method, userClass);
        List<Layer> layers = new ArrayList<>();
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        dev.resilience.annotation.Fallback fallback = protection.fallback();
        if (fallback != null) {
            add(layers, mistakes, () -> fallback(method, userClass, fallback));
        }
        for (String name : order.names()) {
            add(layers, mistakes, () -> layer(name, method, userClass, protection, asynchronous));
        }
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return new MethodPlan(Pipeline.of(layers), asynchronous, protection.retryable() != null);
    }

    private static void add(
            List<Layer> layers, List<ResilienceConfigurationException> mistakes, Supplier<@Nullable Layer> made) {
        try {
            Layer layer = made.get();
            if (layer != null) {
                layers.add(layer);
            }
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
        }
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
        if (bulkhead != null && bulkhead.policy().type() == BulkheadPolicy.Type.THREAD_POOL) {
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
                find(PolicyKind.TIME_LIMIT, registry.timeLimits(), annotation.value(), method, type);
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

    private @Nullable Layer idempotency(Method method, Class<?> type, Protection protection, boolean asynchronous) {
        Idempotent annotation = protection.idempotent();
        if (annotation == null) {
            return null;
        }
        Idempotency idempotency =
                find(PolicyKind.IDEMPOTENCY, registry.idempotencies(), annotation.value(), method, type);
        String name = MethodNames.full(method, type);
        IdempotencyPolicy policy = idempotency == null ? LENIENT : idempotency.policy();
        idempotentMethodChecks.forEach(check -> check.check(method, type, name, policy, asynchronous));
        IdempotentOperation operation = idempotentMethods.create(
                method,
                type,
                name,
                annotation,
                policy,
                ReturnTypes.resultType(method, type, asynchronous),
                isFinal(method, type, protection));
        return idempotency == null ? null : idempotency.protecting(operation);
    }

    /** A result that asks for a retry is not the last one. */
    private Predicate<@Nullable Object> isFinal(Method method, Class<?> type, Protection protection) {
        if (protection.retryable() == null) {
            return result -> true;
        }
        Retry retry;
        try {
            retry = find(
                    PolicyKind.RETRY, registry.retries(), protection.retryable().value(), method, type);
        } catch (ResilienceConfigurationException ofRetry) {
            return result -> true; // the retry's own layer is refused for it
        }
        return retry == null ? result -> true : result -> !retry.asksForRetry(result);
    }

    private Fallback fallback(Method method, Class<?> type, dev.resilience.annotation.Fallback annotation) {
        String name = MethodNames.brief(method, type);
        return registry.fallbacks()
                .computeIfAbsent(
                        MethodNames.full(method, type),
                        key -> new Fallback(name, FallbackResolver.resolve(annotation, method, type), time));
    }

    /** The live object that an annotation names; {@code null} if what is written of it is a mistake already. */
    private <T> @Nullable T find(PolicyKind kind, Map<String, T> live, String written, Method method, Class<?> type) {
        String wanted = resolve(kind, written, method, type);
        if (names.isBroken(kind, wanted)) {
            return null;
        }
        String inEnvironment = live.containsKey(wanted) ? null : names.inEnvironment(kind, wanted);
        String name = inEnvironment == null ? wanted : inEnvironment;
        T found = live.get(name);
        if (found == null) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(method, type) + " names the " + kind.id() + " policy '" + name
                            + (name.equals(written) ? "'" : "' by '" + written + "'") + ", but there is no '"
                            + kind.prefix() + "." + name + "'",
                    names.cure(kind, name, live.keySet()));
        }
        registry.use(kind, name, MethodNames.readable(method, type));
        return found;
    }

    private String resolve(PolicyKind kind, String written, Method method, Class<?> type) {
        try {
            return String.valueOf(placeholders.resolveStringValue(written));
        } catch (IllegalArgumentException unresolved) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(method, type) + " names a " + kind.id() + " policy by '" + written
                            + "', which cannot be resolved: " + unresolved.getMessage(),
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
    }
}
