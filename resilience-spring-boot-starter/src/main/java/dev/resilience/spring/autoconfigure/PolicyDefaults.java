package dev.resilience.spring.autoconfigure;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.PolicyKind;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.util.EnumMap;
import java.util.Map;

/** The policy of each kind where nothing is written. Its record has the keys, their types and their checks too. */
final class PolicyDefaults {

    static final Map<PolicyKind, Record> BY_KIND = new EnumMap<>(Map.of(
            PolicyKind.RETRY, RetryPolicy.defaults(),
            PolicyKind.RETRY_BUDGET, RetryBudgetPolicy.defaults(),
            PolicyKind.CIRCUIT_BREAKER, CircuitBreakerPolicy.defaults(),
            PolicyKind.BULKHEAD, BulkheadPolicy.defaults(),
            PolicyKind.TIME_LIMIT, TimeLimitPolicy.defaults(),
            PolicyKind.IDEMPOTENCY, IdempotencyPolicy.defaults()));

    private PolicyDefaults() {}
}
