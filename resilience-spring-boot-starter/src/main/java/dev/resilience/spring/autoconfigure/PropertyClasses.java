package dev.resilience.spring.autoconfigure;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.PolicyKind;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.BeanUtils;

/** The classes that the properties of policies are bound to, where that is not the policy's own record. */
final class PropertyClasses {

    private static final Map<Class<?>, Class<? extends PolicyProperties<?>>> BY_POLICY = Map.of(
            RetryPolicy.class, RetryProperties.class,
            RetryBudgetPolicy.class, RetryBudgetProperties.class,
            CircuitBreakerPolicy.class, CircuitBreakerProperties.class,
            BulkheadPolicy.class, BulkheadProperties.class,
            TimeLimitPolicy.class, TimeLimitProperties.class,
            IdempotencyPolicy.class, IdempotencyProperties.class);

    private PropertyClasses() {}

    /** The class whose properties are the keys of a kind. */
    static Class<?> of(PolicyKind kind) {
        Class<?> properties = BY_POLICY.get(kind.policyType());
        return properties == null ? kind.policyType() : properties;
    }

    /** The policies of a kind by name. */
    static Map<String, ? extends Record> bind(PolicyBinder binder, PolicyKind kind) {
        Class<? extends PolicyProperties<?>> properties = BY_POLICY.get(kind.policyType());
        return properties == null ? binder.bindRecords(kind) : bind(binder, kind, properties);
    }

    @SuppressWarnings("unchecked") // each is that of the policy beside it
    private static <T extends PolicyProperties<Record>> Map<String, Record> bind(
            PolicyBinder binder, PolicyKind kind, Class<? extends PolicyProperties<?>> properties) {
        Class<T> type = (Class<T>) properties;
        Supplier<T> defaults = () -> BeanUtils.instantiateClass(type);
        return binder.bind(kind, type, defaults);
    }
}
