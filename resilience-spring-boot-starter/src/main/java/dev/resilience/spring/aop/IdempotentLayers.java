package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.Retry;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.IdempotentMethods;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes the idempotent layer of a method. */
final class IdempotentLayers {

    /** Where the policy itself is broken the method is checked all the same, and only for what no policy allows. */
    private static final IdempotencyPolicy LENIENT = IdempotencyPolicy.builder()
            .scope(IdempotencyPolicy.Scope.NONE)
            .fingerprint(false)
            .build();

    private final NamedPolicies policies;
    private final IdempotentMethods methods;
    private final List<IdempotentMethodCheck> checks;

    IdempotentLayers(NamedPolicies policies, IdempotentMethods methods, List<IdempotentMethodCheck> checks) {
        this.policies = policies;
        this.methods = methods;
        this.checks = checks;
    }

    /**
     * The layer of a method, which also tells what its calls are known by.
     *
     * @param operation asked for the caller and the key of each call
     */
    record Made(Idempotency idempotency, IdempotentOperation operation) implements Layer {

        @Override
        public Step around(Step next) {
            return idempotency.protecting(operation).around(next);
        }
    }

    /**
     * @param bean whose method it is, if its class does not tell
     * @param asynchronous {@code null} if the return type is a mistake already
     */
    @Nullable
    Made make(
            Method method,
            Class<?> type,
            Protection protection,
            @Nullable String bean,
            @Nullable Boolean asynchronous) {
        Idempotent annotation = protection.idempotent();
        if (annotation == null) {
            return null;
        }
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Idempotency idempotency = PlanFactory.collect(
                mistakes,
                () -> policies.find(
                        PolicyKind.IDEMPOTENCY, policies.registry().idempotencies(), annotation.value(), method, type));
        IdempotencyPolicy policy = idempotency == null ? LENIENT : idempotency.policy();
        IdempotentOperation operation = asynchronous == null
                ? null
                : PlanFactory.collect(
                        mistakes, () -> operation(method, type, protection, bean, annotation, policy, asynchronous));
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return idempotency == null || operation == null ? null : new Made(idempotency, operation);
    }

    private IdempotentOperation operation(
            Method method,
            Class<?> type,
            Protection protection,
            @Nullable String bean,
            Idempotent annotation,
            IdempotencyPolicy policy,
            boolean asynchronous) {
        String name = MethodNames.full(method, type);
        checks.forEach(check -> check.check(method, type, name, policy, asynchronous));
        return methods.create(
                method,
                type,
                name,
                bean == null ? name : name + "@" + bean,
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
            retry = policies.find(
                    PolicyKind.RETRY,
                    policies.registry().retries(),
                    protection.retryable().value(),
                    method,
                    type);
        } catch (ResilienceConfigurationException ofRetry) {
            return result -> true; // the retry's own layer is refused for it
        }
        return retry == null ? result -> true : result -> !retry.asksForRetry(result);
    }
}
