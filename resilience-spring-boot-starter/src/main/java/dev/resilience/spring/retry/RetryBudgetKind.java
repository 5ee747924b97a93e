package dev.resilience.spring.retry;

import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import java.lang.annotation.Annotation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Retry budgets: {@code resilience.retry-budget}. Retry policies name them, and methods do not. */
public final class RetryBudgetKind extends ConfiguredKind<Annotation, RetryBudgetPolicy, RetryBudget> {

    private static final MeterFamily AVAILABLE = new MeterFamily(
            "resilience.retry.budget.available", null, "Retries that the retry budget would allow at this moment");

    public RetryBudgetKind() {
        super("retry-budget", null, null, RetryBudgetPolicy.defaults());
    }

    @Override
    public RetryBudget create(String name, RetryBudgetPolicy policy, KindContext context) {
        if (name.equals(RetryPolicy.NO_BUDGET)) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "A retry budget cannot be named 'none', because 'budget: none' means no budget: there is a "
                            + "'resilience.retry-budget.none'",
                    "Give the budget another name.");
        }
        return new RetryBudget(name, policy, context.time());
    }

    @Override
    public String namedBy() {
        return "as a policy's budget";
    }

    @Override
    public Map<String, Object> state(RetryBudget budget) {
        return new LinkedHashMap<>(Map.of("available", budget.available()));
    }

    @Override
    public List<Shown> shown() {
        return List.of(new Shown("retries left", "available", As.AMOUNT));
    }

    @Override
    public void meters(RetryBudget budget, Meters meters) {
        meters.gauge(AVAILABLE, budget, RetryBudget::available);
    }
}
