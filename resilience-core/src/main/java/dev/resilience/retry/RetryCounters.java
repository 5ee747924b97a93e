package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.internal.OutcomeCounters;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What a retry policy counts, for itself and for its budget. A first attempt that succeeds costs one counter, which the
 * policy shares with a budget that it is the first to use.
 */
final class RetryCounters {

    private final @Nullable RetryBudget budget;
    private final LongAdder firstAttemptsThatSucceeded;
    private final LongAdder repetitionsThatSucceeded = new LongAdder();
    private final boolean tellsBudgetOfSuccesses;
    private final OutcomeCounters<RetryOutcome> calls;
    private final LongAdder retries = new LongAdder();

    RetryCounters(@Nullable RetryBudget budget) {
        this.budget = budget;
        LongAdder countedByBudget = budget == null ? null : budget.successesOfFirstUser();
        this.firstAttemptsThatSucceeded = countedByBudget == null ? new LongAdder() : countedByBudget;
        this.tellsBudgetOfSuccesses = budget != null && countedByBudget == null;
        this.calls = new OutcomeCounters<>(RetryOutcome.class, RetryOutcome.SUCCESS, this::successes);
    }

    OutcomeCounters<RetryOutcome> calls() {
        return calls;
    }

    long retries() {
        return retries.sum();
    }

    void countRetry() {
        retries.increment();
    }

    void firstAttemptSucceeded(@Nullable Attempt outer) {
        if (isRepetition(outer)) {
            repetitionsThatSucceeded.increment();
            return;
        }
        firstAttemptsThatSucceeded.increment();
        if (tellsBudgetOfSuccesses) {
            Objects.requireNonNull(budget).firstAttemptEnded();
        }
    }

    /** The first attempt of a call failed, or its result asks for another one. */
    void firstAttemptFailed(@Nullable Attempt outer) {
        if (budget != null && !isRepetition(outer)) {
            budget.firstAttemptEnded();
        }
    }

    private long successes() {
        return firstAttemptsThatSucceeded.sum() + repetitionsThatSucceeded.sum();
    }

    /**
     * A call that is itself part of a repetition is no first attempt that would pay for retries: only the outer retry wanted
     * it.
     */
    private static boolean isRepetition(@Nullable Attempt outer) {
        return outer != null && outer.number() > 1;
    }
}
