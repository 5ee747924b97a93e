package dev.resilience.spring.retry;

import static dev.resilience.spring.WarningId.RETRY_INSIDE_RETRY;
import static dev.resilience.spring.WarningId.RETRY_IN_TRANSACTION;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.policy.PropertyNames;
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
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
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

    /**
     * Policies to start from, by {@code extends}. They are written in the same keys as in YAML, and bound in the same way;
     * what they leave out has the library's defaults, whatever the application's own {@code default} says.
     */
    private static final Map<String, Map<String, String>> PRESETS = Map.of(
            "interactive", preset(3, "100ms", "3s", "proportional", "0.2"),
            "standard", preset(5, "1s", "30s", "proportional", "0.3"),
            "batch", preset(10, "5s", "5m", "proportional", "0.5"),
            "external-api", preset(4, "1s", "30s", "full", "0.5"),
            "database", preset(6, "500ms", "10s", "equal", "0.5"),
            "message-queue", preset(11, "1s", "60s", "decorrelated", "0.5"));

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.retry.calls", "calls", "Calls of retried methods by how they ended");
    private static final MeterFamily ATTEMPTS =
            new MeterFamily("resilience.retry.attempts", "attempts", "Retries made; first attempts are not counted");
    private static final MeterFamily DURATION = new MeterFamily(
            "resilience.retry.duration", null, "Duration of whole calls that needed at least one retry");
    private static final MeterFamily WORKERS = new MeterFamily(
            "resilience.retry.workers", "workers", "Threads that run later attempts of asynchronous calls");
    private static final MeterFamily QUEUED = new MeterFamily(
            "resilience.retry.queued", null, "Asynchronous calls whose wait is over, and which now wait for a thread");
    private static final MeterFamily DEAD_LETTERS = new MeterFamily(
            "resilience.deadletter.size",
            null,
            "Calls that ran out of retries and are kept for a replay, of all processes");
    private static final MeterFamily DEAD_LETTER_CALLS = new MeterFamily(
            "resilience.deadletter.calls",
            "calls",
            "Calls that ran out of retries, and their replays, by how they ended");

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
        return PRESETS;
    }

    private static Map<String, String> preset(
            int maxAttempts, String baseDelay, String maxDelay, String jitter, String jitterFactor) {
        return Map.of(
                "max-attempts", String.valueOf(maxAttempts),
                "backoff.base-delay", baseDelay,
                "backoff.max-delay", maxDelay,
                "backoff.jitter", jitter,
                "backoff.jitter-factor", jitterFactor);
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
    public void checkAtWork(Retry retry, StartupWarnings warnings) {
        if (retry.hasLostTransaction()) {
            warnings.add(
                    RETRY_IN_TRANSACTION.of("Retry '" + retry.name() + "' has not repeated a failed attempt, because "
                            + "the transaction around the call could only be rolled back. Retry the method that begins it, or let "
                            + "the retried method begin its own (Propagation.REQUIRES_NEW)"));
        }
        String outer = retry.nestedIn();
        if (outer != null && retry.policy().nested() == RetryPolicy.Nested.ALLOW) {
            warnings.add(RETRY_INSIDE_RETRY.of("Retry '" + retry.name() + "' works inside " + outer
                    + ", so the attempts of both multiply. To leave retrying to the outer one, set '"
                    + PropertyNames.of(prefix(), retry.name()) + ".nested' to suppress"));
        }
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
    public @Nullable String trouble(Retry retry) {
        return retry.isRunningOut()
                ? "no longer helps: its last failed call ran out of attempts, budget or time"
                : null;
    }

    @Override
    public List<Shown> shown() {
        return List.of(
                new Shown("calls", "calls", As.RATE),
                new Shown("retries", "attempts", As.RATE),
                new Shown("retries that helped", "calls.success_after_retry", As.RATIO, "attempts"),
                new Shown("failing", "failingSince", As.SINCE),
                new Shown("last failure", "lastFailure", As.TEXT));
    }

    @Override
    public void meters(Retry retry, Meters meters) {
        meters.outcomes(CALLS, retry.calls());
        meters.counter(ATTEMPTS, retry, Retry::attempts);
        meters.gauge(WORKERS, retry, Retry::workers);
        meters.gauge(QUEUED, retry, Retry::queued);
        if (retry instanceof KeepingRetry keeping) {
            meters.gauge(DEAD_LETTERS, keeping.letters(), DeadLetters::size);
            meters.outcomes(DEAD_LETTER_CALLS, keeping.letters().calls());
        }
        for (RetryOutcome outcome : RetryOutcome.values()) {
            if (outcome != RetryOutcome.SUCCESS) {
                meters.timer(
                        DURATION,
                        RetryFinished.class,
                        call -> call.outcome() == outcome && call.attempts() > 1 ? call.duration() : null,
                        "outcome",
                        outcome.label());
            }
        }
    }
}
