package dev.resilience.spring.retry;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.RetryStatus;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Retries: {@code @Retryable} and {@code resilience.retry}. */
public final class RetryKind extends ConfiguredKind<Retryable, RetryPolicy, Retry> {

    /** What is written for no budget by problem. */
    private static final Set<String> SWITCHED_OFF = Set.of("false", "off", "no", "disabled");

    /** What names something that is looked up when the retry is made. */
    private static final Set<String> FIXED = Set.of("budget", "dead-letter");

    public RetryKind() {
        super("retry", Retryable.class, "circuit-breaker", RetryPolicy.defaults());
    }

    @Override
    public boolean repeats() {
        return true;
    }

    @Override
    public String keyOf(String attribute) {
        return switch (attribute) {
            case "delay" -> "backoff.base-delay";
            case "multiplier", "maxDelay" -> "backoff." + super.keyOf(attribute);
            default -> super.keyOf(attribute);
        };
    }

    /** The retry of a method of another kind; {@code null} if it has none, or none that works: its own layer reports that. */
    public static @Nullable Retry of(ProtectedMethod<?> method) {
        try {
            return method.live(RetryKind.class);
        } catch (ResilienceConfigurationException reportedByRetry) {
            return null;
        }
    }

    @Override
    public Map<String, Map<String, String>> presets() {
        return RetryPresets.ALL;
    }

    @Override
    public boolean isFixed(String key) {
        return FIXED.contains(key);
    }

    /** A policy that names no budget has one of its own, which other policies may name. */
    @Override
    public void prepare(String name, RetryPolicy policy, KindContext context) {
        if (policy.budget() == null) {
            context.others(RetryBudgetKind.class).findOrCreate(name);
        }
    }

    @Override
    public @Nullable Retry create(String name, RetryPolicy policy, KindContext context) {
        boolean hasBudget = !RetryPolicy.NO_BUDGET.equals(policy.budget());
        RetryBudget budget = hasBudget ? budget(name, policy.budget(), context) : null;
        if (hasBudget && budget == null) {
            return null;
        }
        TransactionState transactions =
                context.beans(TransactionState.class).getIfAvailable(() -> TransactionState.NONE);
        Environment environment = context.environmentWithWaits();
        if (!policy.deadLetter()) {
            return new Retry(name, policy, environment, budget, transactions);
        }
        DeadLetters letters =
                new DeadLetters(name, context.beans(DeadLetterStore.class).getObject(), environment);
        return new KeepingRetry(name, policy, environment, budget, transactions, letters);
    }

    /** The budget that a policy names, or its own; {@code null} if that is broken itself. */
    private static @Nullable RetryBudget budget(String name, @Nullable String named, KindContext context) {
        KindContext.Policies<RetryBudget> budgets = context.others(RetryBudgetKind.class);
        String wanted = named == null ? name : named;
        RetryBudget budget = budgets.find(wanted);
        if (budget == null && named != null && !budgets.isBroken(wanted)) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "The retry policy '" + name + "' names the budget '" + wanted
                            + "', but there is no 'resilience.retry-budget." + wanted + "':\n\n"
                            + context.describe("budget", wanted),
                    SWITCHED_OFF.contains(wanted.toLowerCase(Locale.ROOT))
                            ? "Write 'budget: none' for no budget. (YAML reads 'off' and 'no' as false.)"
                            : "Correct the name, or configure the budget. "
                                    + NearestNames.suggest(wanted, budgets.names()));
        }
        return budget;
    }

    @Override
    public @Nullable String withoutEffect(String key, RetryPolicy policy) {
        Backoff backoff = policy.backoff();
        boolean isDecorrelated = backoff.jitter() == Jitter.DECORRELATED;
        boolean isExponential = backoff.strategy() == Backoff.Strategy.EXPONENTIAL;
        boolean grows = isExponential ? backoff.multiplier() > 1 : backoff.strategy() == Backoff.Strategy.LINEAR;
        boolean isFixed = !grows && !isDecorrelated && backoff.function() == null;
        Duration base = backoff.baseDelay(); // one that is longer than what is inherited needs a limit of its own
        boolean isShort = base.compareTo(backoff.maxDelay()) < 0 && base.compareTo(Backoff.DEFAULT.maxDelay()) <= 0;
        return switch (key) {
            case "backoff.multiplier" ->
                because(
                        isDecorrelated || !isExponential,
                        "backoff.strategy is not exponential, or backoff.jitter is decorrelated");
            case "backoff.max-delay" ->
                because(isFixed && isShort, "backoff.strategy is fixed, or backoff.multiplier is 1");
            case "backoff.jitter-factor" ->
                because(backoff.jitter() != Jitter.PROPORTIONAL, "backoff.jitter is not proportional");
            case "retry-unknown" ->
                because(policy.retryUnknown() && policy.retryIf() != null, "retry-if decides what is retried");
            case "retry-on-status" -> because(policy.retryIf() != null, "retry-if decides what is retried");
            case "max-retry-after" -> because(!policy.honorRetryAfter(), "honor-retry-after is false");
            case "dead-letter.replay" -> because(!policy.deadLetter(), "dead-letter is false");
            case "fail-when-exhausted" ->
                because(policy.failWhenExhausted() && policy.retryOnResult() == null, "there is no retry-on-result");
            default -> null;
        };
    }

    @Override
    protected Layer layer(Retry retry, ProtectedMethod<Retryable> method) {
        if (retry.budget() != null) {
            method.uses(RetryBudgetKind.class, retry.budget().name());
        }
        Layer layer = repeating(retry, method);
        return retry instanceof KeepingRetry keeping
                ? Retry.telling(
                        method.beans(DeadLetterMethods.class).getObject().keeping(keeping, method), layer)
                : layer;
    }

    private static Layer repeating(Retry retry, ProtectedMethod<Retryable> method) {
        Idempotent idempotent = method.annotation(Idempotent.class);
        if (idempotent == null) {
            return retry;
        }
        if (method.isInside("idempotent")) {
            return retry.insideIdempotent();
        }
        return idempotent.required() ? retry.forIdempotentCalls() : retry; // it does not know which calls have no key
    }

    @Override
    public void describePolicy(Retry retry, Map<String, Object> policy) {
        RetryBudget budget = retry.budget();
        policy.put("budget", budget == null ? RetryPolicy.NO_BUDGET : budget.name());
        policy.put("worstCaseWait", retry.policy().worstCaseWait().toString());
    }

    @Override
    public Map<String, Object> state(Retry retry) {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("calls", retry.calls().byLabel());
        state.put("attempts", retry.attempts());
        RetryStatus status = retry.status();
        if (status.lastFailure() != null && status.lastFailureAt() != null) {
            state.put("lastFailure", status.lastFailure());
            state.put("lastFailureAt", Timestamps.text(status.lastFailureAt()));
        }
        if (status.failingSince() != null) {
            state.put("failingSince", Timestamps.text(status.failingSince()));
        }
        return state;
    }

    @Override
    public boolean isInTrouble(Retry retry) {
        return retry.isRunningOut();
    }

    @Override
    public void meters(Retry retry, Meters meters) {
        RetryMeters.register(retry, meters);
    }
}
