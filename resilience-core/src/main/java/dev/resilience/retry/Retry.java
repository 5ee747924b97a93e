package dev.resilience.retry;

import dev.resilience.context.Attempt;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.policy.Require;
import dev.resilience.time.TimeSource;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A retry policy at work: repeats calls that failed for a transient reason, as long as attempts, time and budget last.
 *
 * <p>As a layer it protects methods of which a second call may have a second effect; where that cannot happen use
 * {@link #forIdempotentCalls()}. Safe for use by many threads.
 */
public class Retry implements LiveObject<RetryPolicy>, Layer, AutoCloseable {

    /** In place of the start of a call that is not measured. */
    static final long NOT_MEASURED = Long.MIN_VALUE;

    final TimeSource time;
    final Waits waits;
    final RetryReports reports;

    /** What calls go by that begin now. */
    volatile RetryRules rules;

    private final String name;
    private final EventPublisher events;
    private final @Nullable RetryBudget budget;
    private final Attempt outermost;

    /**
     * For adapters; applications ask {@link dev.resilience.Resilience#retry}.
     *
     * @param budget what the retries are taken from; {@code null} for no budget
     * @param transactions tells whether another attempt makes sense inside the caller's transaction
     */
    public Retry(
            String name,
            RetryPolicy policy,
            Environment environment,
            @Nullable RetryBudget budget,
            TransactionState transactions) {
        this(name, policy, environment, budget, transactions, environment.random());
    }

    /**
     * @param random where jitter comes from: numbers from 0 (inclusive) to 1 (exclusive), asked for by many threads
     */
    Retry(
            String name,
            RetryPolicy policy,
            Environment environment,
            @Nullable RetryBudget budget,
            TransactionState transactions,
            DoubleSupplier random) {
        this.name = name;
        this.time = environment.time();
        this.waits = environment.waits("resilience-retry-" + name + "-");
        this.events = environment.events();
        this.budget = budget;
        this.reports = new RetryReports(name, environment, budget);
        this.rules = new RetryRules(policy, new RetryRules.Parts(environment.faults(), random, transactions, reports));
        this.outermost = attempt(null);
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
        String current = Objects.requireNonNullElse(policy().budget(), name);
        Require.unchanged("budget", current, Objects.requireNonNullElse(changed.budget(), name));
        rules = new RetryRules(changed, rules.parts);
    }

    /** Calls that ended, by how they ended. */
    public OutcomeCounters<RetryOutcome> calls() {
        return reports.calls();
    }

    /** Retries made; first attempts are not counted. */
    public long attempts() {
        return reports.retries();
    }

    /** Whether the last call that failed ran out of attempts, budget or time, and nothing has succeeded since. */
    public boolean isRunningOut() {
        return reports.isRunningOut();
    }

    /** What failed last, and since when no call has succeeded. */
    public RetryStatus status() {
        return reports.status();
    }

    /** What the retries are taken from, if there is a budget. */
    public @Nullable RetryBudget budget() {
        return budget;
    }

    /**
     * What has repeated a call of this retry that repeats it too, so that the attempts of both multiply: the first one that was
     * seen, in words such as {@code retry 'orders'}; {@code null} if there was none.
     */
    public @Nullable String nestedIn() {
        return reports.firstOuter;
    }

    /** Whether a failed attempt was not repeated because of the transaction around the call, which can only be rolled back. */
    public boolean hasLostTransaction() {
        return reports.hasLostTransaction;
    }

    /** Threads that are busy with later attempts of asynchronous calls. */
    public int workers() {
        return waits.busyThreads();
    }

    /** Asynchronous calls whose wait is over, and which now wait for a thread. */
    public int queued() {
        return waits.queued();
    }

    /**
     * Ends the waits of its calls, and writes to the log what is folded. What is still called is tried once.
     */
    @Override
    public void close() {
        waits.close();
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new RetryStep(this, () -> false, next, null);
    }

    /** The same retry for calls that may safely be repeated whatever happened: status 500 is transient for them too. */
    public Layer forIdempotentCalls() {
        return next -> new RetryStep(this, () -> true, next, null);
    }

    /**
     * The same retry inside an idempotent layer: as {@link #forIdempotentCalls()} for calls that have their key, and as
     * for any other method for calls that run unprotected, because they have no key or the store is down.
     */
    public Layer insideIdempotent() {
        return next -> new RetryStep(this, () -> IdempotencyContext.current() != null, next, null);
    }

    /**
     * A retry's layer that also reports the calls that ran out of retries, unless they are part of another retry.
     *
     * @param ofRetry a layer that a retry made
     */
    public static Layer telling(ExhaustedCalls calls, Layer ofRetry) {
        return next -> ((RetryStep) ofRetry.around(next)).reportingTo(calls);
    }

    /**
     * When a call begins, or {@link #NOT_MEASURED} where neither the policy nor a listener wants to know. A listener gets
     * only calls that failed or waited for a retry, so a coarse time is enough.
     */
    long begin(RetryPolicy policy) {
        if (policy.maxDuration() != null) {
            return time.nanoTime();
        }
        return events.hasListeners() ? time.coarseNanoTime() : NOT_MEASURED;
    }

    /**
     * What marks the thread while a call's first attempt runs. Prepared where no outer retry is, because it is needed by
     * every call; a policy of one attempt, or one that leaves retrying to the outer call, adds nothing to what is there.
     */
    @Nullable
    Attempt firstAttempt(RetryPolicy policy, @Nullable Attempt outer) {
        if (outer != null && outer.isReplay()) {
            return outer.firstInReplay(outermost.by()); // it is for this call, and not for those inside it
        }
        if (policy.maxAttempts() == 1) {
            return outer;
        }
        if (outer == null) {
            return Attempt.remembersKeys() ? attempt(null) : outermost;
        }
        if (RetryRules.leavesRetryingTo(policy, outer)) {
            return outer;
        }
        if (outer.ofHedge() == 0) {
            reports.nested(outer.by());
        }
        return attempt(outer);
    }

    private Attempt attempt(@Nullable Attempt outer) {
        return Attempt.of("retry '" + name + "'", 1, outer);
    }

    /** Whether the policy says of a result that the method is to be tried again. */
    public boolean asksForRetry(@Nullable Object result) {
        return rules.asksForRetry(result);
    }

    /** Hears of calls that ran out of retries before their callers do. Safe for use by many threads. */
    public interface ExhaustedCalls {

        /**
         * A call begins that may run out: its arguments are still what its caller gave. Called on its caller's thread. Does not
         * throw.
         *
         * @return what {@link #ranOut} wants to know of it; kept as long as the call lasts
         */
        @Nullable
        Object begins(Invocation call);

        /**
         * A call could have been tried again, but attempts, budget or time ran out, or the application ends. Called on a thread
         * that may be blocked: the caller's or, for an asynchronous call, one of the policy. Does not throw.
         *
         * @param begun what {@link #begins} returned
         * @param attempts how often it was tried, the last time possibly without calling the method, because its time was over
         * @param failure of the last attempt; {@code null} if that returned a result which asks for another one
         */
        void ranOut(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure);

        /**
         * A call has failed without running out. Called on the thread on which it ended. Does not throw or block.
         *
         * @param failure which an earlier call may have had too, if it is an object that is thrown again and again
         */
        void failedOtherwise(Throwable failure);
    }
}
