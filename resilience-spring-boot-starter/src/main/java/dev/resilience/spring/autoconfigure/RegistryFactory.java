package dev.resilience.spring.autoconfigure;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.Events;
import dev.resilience.fault.Faults;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.pipeline.ContextCarrier;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.TimeSource;
import dev.resilience.timelimit.TimeLimit;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes the live objects of everything that is configured. */
final class RegistryFactory {

    private final PolicyBinder binder;
    private final Faults faults;
    private final TimeSource time;
    private final Events events;
    private final IdempotencyStore store;
    private final ContextCarrier carrier;
    private final StartupWarnings warnings;

    RegistryFactory(
            PolicyBinder binder,
            Faults faults,
            TimeSource time,
            Events events,
            IdempotencyStore store,
            ContextCarrier carrier,
            StartupWarnings warnings) {
        this.binder = binder;
        this.faults = faults;
        this.time = time;
        this.events = events;
        this.store = store;
        this.carrier = carrier;
        this.warnings = warnings;
    }

    ResilienceRegistry create() {
        Map<String, RetryPolicy> retryPolicies =
                binder.bind(PolicyKind.RETRY, RetryProperties.class, RetryProperties::new);
        Map<String, RetryBudget> budgets = budgets(retryPolicies);
        return new ResilienceRegistry(
                live(retryPolicies, (name, policy) -> retry(name, policy, budgets)),
                live(
                        binder.bind(
                                PolicyKind.CIRCUIT_BREAKER,
                                CircuitBreakerProperties.class,
                                CircuitBreakerProperties::new),
                        (name, policy) -> new CircuitBreaker(name, policy, faults, time, events)),
                live(
                        binder.bind(PolicyKind.BULKHEAD, BulkheadProperties.class, BulkheadProperties::new),
                        (name, policy) -> new Bulkhead(name, policy, time, events, carrier)),
                live(
                        binder.bind(PolicyKind.TIME_LIMIT, TimeLimitProperties.class, TimeLimitProperties::new),
                        (name, policy) -> new TimeLimit(name, policy, time, events, carrier)),
                live(
                        binder.bind(PolicyKind.IDEMPOTENCY, IdempotencyProperties.class, IdempotencyProperties::new),
                        (name, policy) -> new Idempotency(name, policy, store, time, events)),
                budgets);
    }

    private static <P, L> Map<String, L> live(Map<String, P> policies, BiFunction<String, P, L> factory) {
        Map<String, L> live = new TreeMap<>();
        policies.forEach((name, policy) -> live.put(name, factory.apply(name, policy)));
        return Collections.unmodifiableMap(live);
    }

    /** The configured budgets, and one for every retry policy that names none, with the values of the default. */
    private Map<String, RetryBudget> budgets(Map<String, RetryPolicy> retryPolicies) {
        Map<String, RetryBudgetPolicy> policies = new TreeMap<>(
                binder.bind(PolicyKind.RETRY_BUDGET, RetryBudgetProperties.class, RetryBudgetProperties::new));
        RetryBudgetPolicy defaults = policies.getOrDefault("default", RetryBudgetPolicy.defaults());
        retryPolicies.forEach((name, policy) -> {
            if (policy.budget() == null) {
                policies.putIfAbsent(name, defaults);
            }
        });
        return live(policies, (name, policy) -> new RetryBudget(name, policy, time));
    }

    private Retry retry(String name, RetryPolicy policy, Map<String, RetryBudget> budgets) {
        warnOfWhatHasNoEffect(name, policy);
        return new Retry(name, policy, faults, time, events, budget(name, policy, budgets), resultRule(name, policy));
    }

    private @Nullable RetryBudget budget(String name, RetryPolicy policy, Map<String, RetryBudget> budgets) {
        if (RetryPolicy.NO_BUDGET.equals(policy.budget())) {
            return null;
        }
        String wanted = policy.budget() == null ? name : policy.budget();
        RetryBudget budget = budgets.get(wanted);
        if (budget == null) {
            throw new ResilienceConfigurationException(
                    "The retry policy '" + name + "' names the budget '" + wanted
                            + "', but there is no 'resilience.retry-budget." + wanted + "':\n\n"
                            + binder.describe(PolicyKind.RETRY, name, "budget", wanted),
                    "Correct the name, or configure the budget. " + NearestNames.suggest(wanted, budgets.keySet()));
        }
        return budget;
    }

    private @Nullable Predicate<@Nullable Object> resultRule(String name, RetryPolicy policy) {
        String expression = policy.retryOnResult();
        if (expression == null || expression.isBlank()) {
            return null;
        }
        try {
            return new ResultExpression(expression);
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    "The retry policy '" + name + "' has an expression that cannot work:\n\n"
                            + binder.describe(PolicyKind.RETRY, name, "retry-on-result", expression)
                            + "\n    Reason: " + invalid.getMessage(),
                    "Write a SpEL expression over #result that is true when the call should be tried again, such as "
                            + "\"#result.status == 'PENDING'\".");
        }
    }

    private void warnOfWhatHasNoEffect(String name, RetryPolicy policy) {
        String key = "resilience.retry." + name + ".";
        if (policy.deadLetter()) {
            warnings.add(key + "dead-letter: true has no effect in this version");
        }
        if (policy.retryAfterFirstElement()) {
            warnings.add(key + "retry-after-first-element: true has no effect in this version");
        }
    }
}
