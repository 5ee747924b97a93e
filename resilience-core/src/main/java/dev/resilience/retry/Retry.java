package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.deadletter.DeadLetters;
import dev.resilience.deadletter.ExhaustedCalls;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.PolicyTimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A retry policy at work: repeats calls that failed for a transient reason, as long as attempts, time and budget last.
 *
 * <p>As a layer it protects methods of which a second call may have a second effect; where that cannot happen use
 * {@link #forIdempotentCalls()}. Safe for use by many threads.
 */
public final class Retry implements LiveObject<RetryPolicy>, Layer, AutoCloseable {

    /** In place of the start of a call that is not measured. */
    static final long NOT_MEASURED = Long.MIN_VALUE;

    private final String name;
    private volatile RetryRules rules;
    private final PolicyTimeSource time;
    private final EventPublisher events;
    private final @Nullable RetryBudget budget;
    private final RetryCounters counters;
    private final RetryReports reports;
    private final RetryReports.FailureStreak failures = new RetryReports.FailureStreak();
    private final RetryLog log;
    private final Attempt outermost;
    private final @Nullable DeadLetters deadLetters;

    Retry(RetryBuilder parts) {
        this.name = parts.name;
        this.time = PolicyTimeSource.of("resilience-retry-" + name + "-", parts.time);
        this.events = parts.events;
        this.budget = parts.budget;
        this.deadLetters = parts.deadLetters;
        this.log = new RetryLog(name, parts.time);
        this.rules = parts.rules(log);
        this.counters = new RetryCounters(budget);
        this.reports = new RetryReports(name, parts.time, events, counters, log, failures);
        this.outermost = attempt(1, null);
    }

    /** For adapters, which say what it works with; applications ask {@link dev.resilience.Resilience}. */
    public static RetryBuilder builder(String name, RetryPolicy policy) {
        return new RetryBuilder(name, policy);
    }

    /**
     * A retry with the JDK's faults, the system's time and a budget of its own.
     *
     * @throws InvalidPolicyException if the policy names a shared budget, which wants the {@linkplain #builder builder}
     */
    public static Retry of(String name, RetryPolicy policy) {
        boolean hasBudget = policy.budget() == null;
        Require.that(
                hasBudget || RetryPolicy.NO_BUDGET.equals(policy.budget()),
                "budget",
                policy.budget(),
                "must be given to the builder");
        RetryBudget budget =
                hasBudget ? new RetryBudget(name, RetryBudgetPolicy.defaults(), TimeSource.system()) : null;
        return builder(name, policy).budget(budget).build();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RetryPolicy policy() {
        return rules.policy();
    }

    /**
     * Changes the policy for calls that begin from now on; a call under way ends by the one that it began with. Counters and the
     * budget stay.
     *
     * @throws InvalidPolicyException if the policy names another budget, which cannot be changed
     */
    @Override
    public void reconfigure(RetryPolicy changed) {
        String wanted = changed.budget();
        String current = policy().budget();
        boolean isSame = (wanted == null ? name : wanted).equals(current == null ? name : current);
        Require.that(isSame, "budget", wanted, "cannot be changed while the application runs");
        rules = rules.with(changed);
    }

    /**
     * The longest time that all waits of a call together can take, hints of the server left aside: also where a {@link
     * BackoffFunction} says how long they are.
     */
    public Duration worstCaseWait() {
        return policy().worstCaseWait();
    }

    /** Whether nothing but the classification of failures tells which ones are retried. */
    public boolean reliesOnClassification() {
        return rules.reliesOnClassification();
    }

    /** Calls that ended, by how they ended. */
    public OutcomeCounters<RetryOutcome> calls() {
        return counters.calls();
    }

    /** Retries made; first attempts are not counted. */
    public long attempts() {
        return counters.retries();
    }

    /** What failed last, and since when no call has succeeded. */
    public RetryStatus status() {
        return failures.status();
    }

    /** What the retries are taken from, if there is a budget. */
    public @Nullable RetryBudget budget() {
        return budget;
    }

    /** Where calls that ran out of retries are kept; {@code null} if they are not. */
    public @Nullable DeadLetters deadLetters() {
        return deadLetters;
    }

    /** Threads that are busy with later attempts of asynchronous calls. */
    public int workers() {
        return time.busyThreads();
    }

    /** Asynchronous calls whose wait is over, and which now wait for a thread. */
    public int queued() {
        return time.queued();
    }

    /**
     * Ends the waits of its calls, and writes to the log what it has counted in place of single lines. What is still called
     * is tried once.
     */
    @Override
    public void close() {
        time.close();
        log.close();
        if (deadLetters != null) {
            deadLetters.close();
        }
    }

    @Override
    public Step around(Step next) {
        return new RetryStep(this, () -> false, next);
    }

    /** The same retry for calls that may safely be repeated whatever happened: status 500 is transient for them too. */
    public Layer forIdempotentCalls() {
        return next -> new RetryStep(this, () -> true, next);
    }

    /**
     * The same retry inside of an idempotent layer: as {@link #forIdempotentCalls()} for calls that have their key, and as
     * for any other method for calls that run unprotected, because they have no key or the store is down.
     */
    public Layer insideIdempotent() {
        return next -> new RetryStep(this, () -> IdempotencyContext.current() != null, next);
    }

    /**
     * A retry's layer that also reports the calls that ran out of retries, unless they are part of another retry.
     *
     * @param ofRetry a layer that a retry made
     */
    public static Layer telling(ExhaustedCalls calls, Layer ofRetry) {
        return next -> ((RetryStep) ofRetry.around(next)).telling(calls);
    }

    /**
     * When a call begins, or {@link #NOT_MEASURED} where neither the policy nor a listener wants to know. A listener hears
     * only of calls that failed or waited for a retry, so a coarse time is enough for it: every call has to look at the
     * clock for the few that are told of.
     */
    long begin(RetryPolicy policy) {
        if (policy.maxDuration() != null) {
            return time().nanoTime();
        }
        return events.hasListeners() ? time().coarseNanoTime() : NOT_MEASURED;
    }

    void succeededAtOnce(@Nullable Attempt outer) {
        failures.succeeded();
        counters.firstAttemptSucceeded(outer);
    }

    /**
     * What marks the thread while a call's first attempt runs. Prepared where no outer retry is, because it is needed by
     * every call; a policy of one attempt, or one that leaves retrying to the outer call, adds nothing to what is there.
     */
    @Nullable
    Attempt firstAttempt(RetryPolicy policy, @Nullable Attempt outer) {
        if (outer != null && outer.isReplay()) {
            outer.begun();
            return outermost; // it is for this call, and not for those inside of it
        }
        if (policy.maxAttempts() == 1) {
            return outer;
        }
        if (outer == null) {
            return outermost;
        }
        if (RetryRules.leavesRetryingTo(policy, outer)) {
            return outer;
        }
        log.nested(outer.by());
        return attempt(1, outer);
    }

    Attempt attempt(int number, @Nullable Attempt outer) {
        return Attempt.of("retry '" + name + "'", number, outer);
    }

    /** Whether the policy says of a result that the method is to be tried again. */
    public boolean asksForRetry(@Nullable Object result) {
        return rules.asksForRetry(result);
    }

    /** What calls go by that begin now. */
    RetryRules rules() {
        return rules;
    }

    RetryCounters counters() {
        return counters;
    }

    PolicyTimeSource time() {
        return time;
    }

    RetryReports reports() {
        return reports;
    }

    RetryLog log() {
        return log;
    }
}
