package dev.resilience.spring.idempotency;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.retry.RetryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The idempotent layer of a method, which also tells what its calls are known by.
 *
 * @param operation asked for the caller and the key of each call
 */
public record IdempotentLayer(Idempotency idempotency, IdempotentOperation operation) implements Layer {

    /** Where the policy itself is broken the method is checked all the same, and only for what no policy allows. */
    private static final IdempotencyPolicy LENIENT = IdempotencyPolicy.builder()
            .scope(IdempotencyPolicy.Scope.NONE)
            .fingerprint(false)
            .build();

    @Override
    public Step around(Step next) {
        return idempotency.protecting(operation).around(next);
    }

    /** The layer; {@code null} if the policy or the return type is a mistake that is told already. */
    static @Nullable IdempotentLayer make(IdempotencyKind kind, ProtectedMethod<Idempotent> method) {
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Idempotency idempotency = ResilienceConfigurationException.collect(mistakes, () -> method.live(kind));
        IdempotencyPolicy policy = idempotency == null ? LENIENT : idempotency.policy();
        Boolean asynchronous = method.isAsynchronous();
        IdempotentOperation operation = asynchronous == null
                ? null
                : ResilienceConfigurationException.collect(mistakes, () -> operation(method, policy, asynchronous));
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return idempotency == null || operation == null ? null : new IdempotentLayer(idempotency, operation);
    }

    private static IdempotentOperation operation(
            ProtectedMethod<Idempotent> method, IdempotencyPolicy policy, boolean asynchronous) {
        String name = MethodNames.full(method.method(), method.type());
        method.beans(IdempotentMethodCheck.class)
                .orderedStream()
                .forEach(check -> check.check(method.method(), method.type(), name, policy, asynchronous));
        return method.beans(IdempotentMethods.class)
                .getObject()
                .create(
                        method.method(),
                        method.type(),
                        name,
                        method.bean() == null ? name : name + "@" + method.bean(),
                        method.annotation(),
                        policy,
                        method.resultType(),
                        isFinal(method));
    }

    /** A result that asks for a retry is not the last one. */
    private static Predicate<@Nullable Object> isFinal(ProtectedMethod<Idempotent> method) {
        Retry retry;
        try {
            retry = method.live(RetryKind.class);
        } catch (ResilienceConfigurationException ofRetry) {
            return result -> true; // the retry's own layer is refused for it
        }
        return retry == null ? result -> true : result -> !retry.asksForRetry(result);
    }
}
