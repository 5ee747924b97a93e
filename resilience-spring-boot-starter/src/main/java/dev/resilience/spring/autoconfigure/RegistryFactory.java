package dev.resilience.spring.autoconfigure;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.Events;
import dev.resilience.fault.Faults;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.PolicyTimes;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.TimeSource;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import dev.resilience.worker.PolicyTimeSource;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Makes the live objects of everything that is configured. */
final class RegistryFactory {

    /** What is written for no budget by mistake. */
    private static final Set<String> SWITCHED_OFF = Set.of("false", "off", "no", "disabled");

    private final PolicyBinder binder;
    private final Faults faults;
    private final TimeSource time;
    private final Events events;
    private final IdempotencyStore store;
    private final AsyncCalls asyncCalls;
    private final TransactionState transactions;
    private final PolicyTimes times;
    private final StartupWarnings warnings;
    private final StartupMistakes mistakes;
    private final PolicyNames names;

    RegistryFactory(
            PolicyBinder binder,
            Faults faults,
            TimeSource time,
            Events events,
            IdempotencyStore store,
            AsyncCalls asyncCalls,
            TransactionState transactions,
            StartupWarnings warnings,
            StartupMistakes mistakes,
            PolicyNames names) {
        this.binder = binder;
        this.faults = faults;
        this.time = time;
        this.events = events;
        this.store = store;
        this.asyncCalls = asyncCalls;
        this.transactions = transactions;
        this.times = new PolicyTimes(time, asyncCalls.maxThreads());
        this.warnings = warnings;
        this.mistakes = mistakes;
        this.names = names;
    }

    /** The live objects of all policies that can be made; the others are mistakes, and left out. */
    ResilienceRegistry create() {
        Map<String, RetryPolicy> retryPolicies = binder.bind(PolicyKind.RETRY, RetryPolicy.defaults());
        Map<String, RetryBudget> budgets = budgets(retryPolicies);
        return new ResilienceRegistry(
                retries(retryPolicies, budgets),
                live(
                        binder.bind(PolicyKind.CIRCUIT_BREAKER, CircuitBreakerPolicy.defaults()),
                        (name, policy) -> new CircuitBreaker(name, policy, faults, time, events)),
                live(
                        binder.bind(PolicyKind.BULKHEAD, BulkheadPolicy.defaults()),
                        (name, policy) -> new Bulkhead(name, policy, time, events, asyncCalls.carrier())),
                live(
                        binder.bind(PolicyKind.TIME_LIMIT, TimeLimitPolicy.defaults()),
                        (name, policy) -> new TimeLimit(name, policy, time, events, asyncCalls.carrier())),
                live(
                        withStore(binder.bind(PolicyKind.IDEMPOTENCY, IdempotencyPolicy.defaults())),
                        (name, policy) ->
                                new Idempotency(name, policy, store, times.add(PolicyKind.IDEMPOTENCY, name), events)),
                budgets,
                times);
    }

    private static <P, L> Map<String, L> live(Map<String, P> policies, BiFunction<String, P, L> factory) {
        Map<String, L> live = new TreeMap<>();
        policies.forEach((name, policy) -> live.put(name, factory.apply(name, policy)));
        return Collections.unmodifiableMap(live);
    }

    /** The configured budgets, and one for every retry policy that names none, with the values of the default. */
    private Map<String, RetryBudget> budgets(Map<String, RetryPolicy> retryPolicies) {
        Map<String, RetryBudgetPolicy> policies =
                new TreeMap<>(binder.bind(PolicyKind.RETRY_BUDGET, RetryBudgetPolicy.defaults()));
        refuseBudgetOfReservedName(policies.keySet());
        RetryBudgetPolicy defaults = policies.get("default");
        retryPolicies.forEach((name, policy) -> {
            if (policy.budget() == null && defaults != null && !names.isBroken(PolicyKind.RETRY_BUDGET, name)) {
                policies.putIfAbsent(name, defaults);
            }
        });
        return live(policies, (name, policy) -> new RetryBudget(name, policy, time));
    }

    private <P> Map<String, P> withStore(Map<String, P> policies) {
        return names.isBroken(PolicyKind.IDEMPOTENCY) ? Map.of() : policies;
    }

    private void refuseBudgetOfReservedName(Set<String> budgets) {
        if (budgets.contains(RetryPolicy.NO_BUDGET)) {
            mistakes.add(new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "A retry budget cannot be named 'none', because 'budget: none' means no budget: there is a "
                            + "'resilience.retry-budget.none'",
                    "Give the budget another name."));
        }
    }

    private Map<String, Retry> retries(Map<String, RetryPolicy> policies, Map<String, RetryBudget> budgets) {
        Map<String, Retry> retries = new TreeMap<>();
        policies.forEach((name, policy) -> {
            try {
                Retry retry = retry(name, policy, budgets);
                if (retry != null) {
                    retries.put(name, retry);
                }
            } catch (ResilienceConfigurationException mistake) {
                mistakes.add(place(mistake), mistake);
                names.breaks(PolicyKind.RETRY, name);
            }
        });
        return Collections.unmodifiableMap(retries);
    }

    /** The property that is blamed: policies that inherit it make the same mistake. */
    private static String place(ResilienceConfigurationException mistake) {
        String message = String.valueOf(mistake.getMessage());
        return message.substring(message.indexOf("\n\n"));
    }

    private @Nullable Retry retry(String name, RetryPolicy policy, Map<String, RetryBudget> budgets) {
        warnOfWhatHasNoEffect(name, policy);
        Predicate<@Nullable Object> resultRule = resultRule(name, policy);
        if (RetryPolicy.NO_BUDGET.equals(policy.budget())) {
            return retry(name, policy, null, resultRule);
        }
        RetryBudget budget = budget(name, policy, budgets);
        if (budget == null) {
            names.breaks(PolicyKind.RETRY, name);
            return null;
        }
        return retry(name, policy, budget, resultRule);
    }

    private Retry retry(
            String name,
            RetryPolicy policy,
            @Nullable RetryBudget budget,
            @Nullable Predicate<@Nullable Object> resultRule) {
        PolicyTimeSource ofPolicy = times.add(PolicyKind.RETRY, name);
        return new Retry(name, policy, faults, ofPolicy, events, budget, resultRule, transactions);
    }

    /** The budget of a policy; {@code null} if it is broken itself. */
    private @Nullable RetryBudget budget(String name, RetryPolicy policy, Map<String, RetryBudget> budgets) {
        String wanted = policy.budget() == null ? name : policy.budget();
        RetryBudget budget = budgets.get(wanted);
        if (budget == null && policy.budget() != null && !names.isBroken(PolicyKind.RETRY_BUDGET, wanted)) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "The retry policy '" + name + "' names the budget '" + wanted
                            + "', but there is no 'resilience.retry-budget." + wanted + "':\n\n"
                            + binder.describe(PolicyKind.RETRY, name, "budget", wanted),
                    SWITCHED_OFF.contains(wanted.toLowerCase(Locale.ROOT))
                            ? "Write 'budget: none' for no budget. (YAML reads 'off' and 'no' as false.)"
                            : "Correct the name, or configure the budget. "
                                    + NearestNames.suggest(wanted, budgets.keySet()));
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
                    MistakeKind.VALUES,
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
