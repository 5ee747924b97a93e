package dev.resilience.hedge;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.HedgeOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.Require;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.TransactionState;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A hedge policy at work: begins a second attempt of a call whose first one is slow, and answers with what comes first (J. Dean,
 * L. A. Barroso, "The Tail at Scale", 2013). In any period, second attempts ≤ max-extra-load × calls that end + 10.
 *
 * <p>A first attempt is slow when it has taken longer than all but {@code max-extra-load} of the calls of the last half minute;
 * that is measured anew every few seconds, and no call is hedged before a hundred were measured, and one of that share. The
 * loser of a hedged call was measured too: it took at least until it was stopped, and so longer than that limit.
 *
 * <p>A call is not hedged where the second attempt could do harm: outside an idempotent call, unless the method is free of side
 * effects, and inside a transaction of its caller's, which other threads do not see. Safe for use by many threads.
 */
public final class Hedge implements LiveObject<HedgePolicy>, Layer, AutoCloseable {

    /** What the budget saves at the most: as many calls may be slow at once. */
    private static final int MAX_SAVED = 10;

    final Environment environment;
    final Waits waits;
    private final OutcomeCounters<HedgeOutcome> counters = new OutcomeCounters<>(HedgeOutcome.class);
    private final String name;
    final String inWords;
    private final RetryBudget retries;
    private final TransactionState transactions;
    private final Latencies latencies = new Latencies();
    private final LongSupplier ended = counters::total;
    private volatile HedgePolicy policy;
    private volatile long delayNanos = Latencies.NEVER;
    private final AtomicLong measuredAt;
    private double saved; // second attempts; this and the next with the lock
    private long callsPaid;

    /**
     * For adapters; applications ask {@link dev.resilience.Resilience#hedge}.
     *
     * @param retries what second attempts are taken from too, besides the hedge's own budget
     * @param transactions tells whether a call is made in a transaction
     */
    public Hedge(
            String name,
            HedgePolicy policy,
            Environment environment,
            RetryBudget retries,
            TransactionState transactions) {
        this.name = name;
        this.inWords = "hedge '" + name + "'";
        this.policy = policy;
        this.environment = environment;
        this.waits = environment.waits("resilience-hedge-" + name + "-");
        this.retries = retries;
        this.transactions = transactions;
        this.measuredAt = new AtomicLong(environment.time().nanoTime());
        retries.addSuccesses(ended);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public HedgePolicy policy() {
        return policy;
    }

    /**
     * Changes the policy for calls that begin when latencies are measured anew, a few seconds from now. What was measured stays.
     *
     * @throws dev.resilience.policy.InvalidPolicyException for another {@code side-effect-free}, which the startup has checked
     */
    @Override
    public void reconfigure(HedgePolicy changed) {
        Require.unchanged("side-effect-free", policy.sideEffectFree(), changed.sideEffectFree());
        policy = changed;
    }

    /** Calls by how they ended. */
    public OutcomeCounters<HedgeOutcome> calls() {
        return counters;
    }

    /** Second attempts made, of calls that have ended: the extra load. */
    public long attempts() {
        return counters.get(HedgeOutcome.FIRST_WON)
                + counters.get(HedgeOutcome.SECOND_WON)
                + counters.get(HedgeOutcome.UNANSWERED);
    }

    /** After how long a second attempt begins; {@code null} as long as too few calls were measured. */
    public @Nullable Duration delay() {
        long nanos = delayNanos;
        return nanos == Latencies.NEVER ? null : Duration.ofNanos(nanos);
    }

    @Override
    public Step around(Step next) {
        return new HedgeStep(this, next);
    }

    /** Makes no second attempts any more, but those that run. */
    @Override
    public void close() {
        waits.close();
        retries.removeSuccesses(ended);
    }

    /** After how long a call that begins now is hedged; {@link Latencies#NEVER} for not at all. */
    long delay(Invocation call, long now) {
        long last = measuredAt.get();
        if (now - last >= Latencies.REFRESH_NANOS && measuredAt.compareAndSet(last, now)) {
            long slow = latencies.exceededBy(policy.maxExtraLoad());
            delayNanos = Math.max(Durations.toNanos(policy.minimumDelay()), slow);
        }
        boolean mayHaveTwo = policy.sideEffectFree() || IdempotencyContext.current() != null;
        return mayHaveTwo && !transactions.isOpen() && !call.isInTransaction() ? delayNanos : Latencies.NEVER;
    }

    /** Whether there is budget for one more second attempt, which is made then. */
    synchronized boolean tryAcquire() {
        long calls = ended.getAsLong();
        saved = Math.min(MAX_SAVED, saved + (calls - callsPaid) * policy.maxExtraLoad());
        callsPaid = calls;
        boolean granted = saved >= 1 && retries.tryAcquire();
        if (granted) {
            saved--;
        }
        return granted;
    }

    /**
     * A call has ended. A failure that came soon says nothing about how long answers take; one that came late does.
     *
     * @param hasResult whether it returned
     */
    void ended(HedgeOutcome outcome, long start, boolean hasResult) {
        long taken = environment.time().nanoTime() - start;
        if (hasResult || taken >= delayNanos) {
            latencies.record(taken);
        }
        counters.count(outcome);
    }
}
