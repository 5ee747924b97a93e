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
import dev.resilience.pipeline.ContextCarrier;
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
        this.names = names;
        this.order = order;
        this.idempotentMethods = idempotentMethods;
        this.idempotentMethodChecks = idempotentMethodChecks;
        this.placeholders = placeholders;
        this.time = time;
        this.carrier = carrier;
        this.warnings = warnings;
    }

    MethodPlan create(Method method, Class<?> type, Protection protection) {
        Class<?> userClass = ProtectedMethods.written(type, method);
        List<Layer> layers = new ArrayList<>();
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Boolean asynchronous = collect(mistakes, () -> ReturnTypes.isAsynchronous(method, userClass));
        for (String name : order.names()) {
            Layer layer = collect(mistakes, () -> layer(name, method, userClass, protection, asynchronous));
            if (layer != null) {
                layers.add(layer);
            }
        }
        if (!mistakes.isEmpty() || asynchronous == null) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return new MethodPlan(Pipeline.of(layers, carrier), asynchronous, protection.retryable() != null);
    }

    /** What is made, or {@code null} and one mistake more. */
    private static <T> @Nullable T collect(
            List<ResilienceConfigurationException> mistakes, Supplier<@Nullable T> made) {
        try {
            return made.get();
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
            return null;
        }
    }

    private @Nullable Layer layer(
            String name, Method method, Class<?> type, Protection protection, @Nullable Boolean asynchronous) {
        return switch (name) {
            case LayerOrder.FALLBACK -> fallback(method, type, protection);
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

    /**
     * @param asynchronous {@code null} if the return type is a mistake already
     */
    private @Nullable Layer idempotency(
            Method method, Class<?> type, Protection protection, @Nullable Boolean asynchronous) {
        Idempotent annotation = protection.idempotent();
        if (annotation == null) {
            return null;
        }
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Idempotency idempotency = collect(
                mistakes,
                () -> find(PolicyKind.IDEMPOTENCY, registry.idempotencies(), annotation.value(), method, type));
        IdempotencyPolicy policy = idempotency == null ? LENIENT : idempotency.policy();
        IdempotentOperation operation = asynchronous == null
                ? null
                : collect(mistakes, () -> operation(method, type, protection, annotation, policy, asynchronous));
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return idempotency == null || operation == null ? null : idempotency.protecting(operation);
    }

    private IdempotentOperation operation(
            Method method,
            Class<?> type,
            Protection protection,
            Idempotent annotation,
            IdempotencyPolicy policy,
            boolean asynchronous) {
        String name = MethodNames.full(method, type);
        idempotentMethodChecks.forEach(check -> check.check(method, type, name, policy, asynchronous));
        return idempotentMethods.create(
                method,
                type,
                name,
                annotation,
                policy,
                ReturnTypes.resultType(method, type, asynchronous),
                isFinal(method, type, protection));
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
