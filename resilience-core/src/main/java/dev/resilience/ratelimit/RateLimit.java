package dev.resilience.ratelimit;

import dev.resilience.context.Deadline;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.KeyedObjects.Held;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A rate limit policy at work: lets through so many calls in a period. A call that finds no permit waits for one, if the policy
 * allows it and the permit can be used in that time, and is refused at once otherwise. A blocking caller waits on its own thread,
 * an asynchronous call without one. Permits are handed out in the order in which calls ask for them. A call that is cancelled or
 * interrupted while it waits has used its permit up.
 *
 * <p>Safe for use by many threads.
 */
public final class RateLimit extends PerKey<RateLimit> implements LiveObject<RateLimitPolicy>, AutoCloseable {

    final Waits waits;
    final RateLimitReports reports;
    private final RateLimit whole; // this one, unless it is that of a key
    private final Permits permits;
    private final Permits.Source source;
    private final LongAdder accepted;
    private volatile RateLimitPolicy policy; // by which the permits come
    private volatile long maxWaitNanos;

    /** With permits of this process. For adapters; applications ask {@link dev.resilience.Resilience#rateLimit}. */
    public RateLimit(String name, RateLimitPolicy policy, Environment environment) {
        this(name, policy, environment, (key, current) -> new Gcra(current, environment.time()));
    }

    /**
     * As {@link #RateLimit(String, RateLimitPolicy, Environment)}.
     *
     * @param source where permits come from
     */
    public RateLimit(String name, RateLimitPolicy policy, Environment environment, Permits.Source source) {
        super(null);
        this.whole = this;
        this.policy = policy;
        this.maxWaitNanos = Durations.toNanos(policy.maxWait());
        this.source = source;
        this.permits = source.permits(null, policy);
        this.waits = environment.waits("resilience-rate-limit-" + name + "-");
        this.reports = new RateLimitReports(name, environment);
        this.accepted = calls().counter(RateLimitOutcome.ACCEPTED);
    }

    private RateLimit(RateLimit whole, String key) {
        super(whole);
        this.whole = whole;
        this.policy = whole.policy;
        this.source = whole.source;
        this.permits = source.permits(key, policy);
        this.waits = whole.waits;
        this.reports = whole.reports;
        this.accepted = whole.accepted;
    }

    /** {@inheritDoc} It has all permits of the policy. */
    @Override
    public RateLimit part(String name, boolean isLogged) {
        return new RateLimit(this, name);
    }

    @Override
    protected Layer holding(Function<Invocation, Held<RateLimit>> ofKey) {
        return next -> new RateLimitStep(this, ofKey, next);
    }

    /** Whether a permit is missing, which would be there again if it were forgotten. */
    @Override
    public boolean isAtWork() {
        return available() < policy().capacity();
    }

    @Override
    protected int maxKeys() {
        return policy().maxKeys();
    }

    @Override
    public String name() {
        return reports.name();
    }

    @Override
    public RateLimitPolicy policy() {
        return whole.policy;
    }

    /**
     * Changes the policy while calls run. Permits that were taken stay taken, up to the new burst; a call that waits already has its
     * permit and waits as long as it was going to. The limit of a key changes with its next call.
     *
     * @throws dev.resilience.policy.InvalidPolicyException if the store differs, which cannot change
     */
    @Override
    public synchronized void reconfigure(RateLimitPolicy changed) {
        Require.unchanged("store", policy.store(), changed.store());
        adopt(changed);
        maxWaitNanos = Durations.toNanos(changed.maxWait());
    }

    @SuppressWarnings("ReferenceEquality") // of the policy of the moment
    private synchronized void adopt(RateLimitPolicy changed) {
        if (policy != changed) {
            permits.reconfigure(changed);
            policy = changed;
        }
    }

    /** Gives back all permits, for tests that share an application. Those of keys are not concerned. */
    public void reset() {
        permits.reset();
    }

    /** Permits that could be taken now; NaN if that is not known. */
    public double available() {
        return permits.available();
    }

    /** What is known of the store that counts the permits; empty if that is this process. */
    public Map<String, Object> store() {
        return source.view();
    }

    /** Calls by how they were received; one that waits is counted when its wait is over. */
    public OutcomeCounters<RateLimitOutcome> calls() {
        return reports.calls();
    }

    /** Whether any asynchronous call runs after a wait, or its stage goes on without a thread. */
    public boolean hasWork() {
        return waits.hasWork();
    }

    /** Refuses the calls that wait, and lets none wait until {@link #resume()}. Returns without waiting. */
    public void stopWaits() {
        waits.stop();
    }

    /** Lets calls wait again. */
    public void resume() {
        waits.resume();
    }

    /** Interrupts the bodies of asynchronous calls that run after a wait, and cancels the stages that they have made. */
    public void stopRunning() {
        waits.stopRunning();
    }

    /** Refuses the calls that wait, and writes to the log what is folded. Calls that come later do not wait. */
    @Override
    public void close() {
        waits.close();
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new RateLimitStep(this, null, next);
    }

    /**
     * Takes a permit for the call of this thread, which is counted if it need not wait or is refused.
     *
     * @return for how many nanoseconds it is to wait; or {@link Permits#WOULD_BLOCK}
     * @throws dev.resilience.exception.ResilienceException if it is refused
     */
    @SuppressWarnings("ReferenceEquality") // of the policy of the moment
    long acquire(boolean mayBlock) {
        RateLimitPolicy current = policy();
        if (policy != current) {
            adopt(current);
        }
        long maxWait = waits.isStopped() ? 0 : whole.maxWaitNanos;
        Deadline deadline = maxWait == 0 ? null : Deadline.current();
        if (deadline != null) { // a wait must end before it
            maxWait = Math.max(0, Math.min(maxWait, Durations.toNanos(deadline.left()) - 1));
        }
        long wait = permits.acquire(maxWait, mayBlock);
        if (wait == 0) {
            accepted.increment();
        } else if (wait < 0 && wait != Permits.WOULD_BLOCK) {
            throw reports.exceeded(current, -wait, waits.isStopped(), deadline != null);
        }
        return wait;
    }
}
