package dev.resilience.retry;

import dev.resilience.deadletter.DeadLetters;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.time.TimeSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives a {@link Retry} what it works with. For adapters; applications ask {@link dev.resilience.Resilience}. Not safe for
 * use by many threads.
 */
public final class RetryBuilder {

    final String name;
    final RetryPolicy policy;
    CompositeFaultClassifier faults = CompositeFaultClassifier.ofJdk();
    TimeSource time = TimeSource.system();
    EventPublisher events = new EventPublisher();

    @Nullable
    RetryBudget budget;

    @Nullable
    DeadLetters deadLetters;

    RetryFunctions functions = RetryFunctions.none();
    TransactionState transactions = TransactionState.NONE;
    DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

    RetryBuilder(String name, RetryPolicy policy) {
        this.name = name;
        this.policy = policy;
    }

    /** Tells which failures are transient; default {@link CompositeFaultClassifier#ofJdk()}. */
    public RetryBuilder faults(CompositeFaultClassifier classification) {
        faults = classification;
        return this;
    }

    /** Where waits and timestamps come from; default {@link TimeSource#system()}. */
    public RetryBuilder timeSource(TimeSource source) {
        time = source;
        return this;
    }

    /** Tells listeners what happens; default none. */
    public RetryBuilder events(EventPublisher listeners) {
        events = listeners;
        return this;
    }

    /** What the retries are taken from; default {@code null} for no budget. */
    public RetryBuilder budget(@Nullable RetryBudget source) {
        budget = source;
        return this;
    }

    /** Where calls that ran out of retries are kept; default {@code null} for nowhere. The retry closes it with itself. */
    public RetryBuilder deadLetters(@Nullable DeadLetters letters) {
        deadLetters = letters;
        return this;
    }

    /** What it asks of the application's own code; default {@link RetryFunctions#none()}. */
    public RetryBuilder functions(RetryFunctions code) {
        functions = code;
        return this;
    }

    /** Tells of a result that the call should be tried again; default {@code null} for no such rule. */
    public RetryBuilder retryOnResult(@Nullable Predicate<@Nullable Object> rule) {
        return functions(functions.retryOnResult(rule));
    }

    /** Tells of a failure that no list matches whether it is retried; default {@code null} for no such rule. */
    public RetryBuilder retryIf(@Nullable Predicate<? super Throwable> rule) {
        return functions(functions.retryIf(rule));
    }

    /** Says how long to wait, in place of the policy's backoff; default {@code null} for no such function. */
    public RetryBuilder backoff(@Nullable BackoffFunction function) {
        return functions(functions.backoff(function));
    }

    /** Tells whether another attempt makes sense inside the caller's transaction; default {@link TransactionState#NONE}. */
    public RetryBuilder transactions(TransactionState state) {
        transactions = state;
        return this;
    }

    /**
     * Where jitter comes from.
     *
     * @param numbers from 0 (inclusive) to 1 (exclusive), asked for by many threads
     */
    RetryBuilder random(DoubleSupplier numbers) {
        random = numbers;
        return this;
    }

    RetryRules rules(RetryLog log) {
        return new RetryRules(policy, new RetryRules.Parts(faults, functions, random, transactions, log));
    }

    /** Makes the retry. */
    public Retry build() {
        return new Retry(this);
    }
}
