package dev.resilience.ratelimit;

import dev.resilience.context.Deadline;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.ResilienceException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.Waits;
import dev.resilience.policy.Require;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Map;

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
    private final Permits.Source source;
    private volatile Permits permits;
    private volatile RateLimitPolicy policy;

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
        this.policy = policy;
        this.source = source;
        this.permits = source.permits(null, policy);
        this.waits = environment.waits("resilience-rate-limit-" + name + "-");
        this.reports = new RateLimitReports(name, environment, new OutcomeCounters<>(RateLimitOutcome.class));
    }

    private RateLimit(RateLimit whole, String key) {
        super(whole);
        this.policy = whole.policy;
        this.source = whole.source;
        this.permits = source.permits(key, policy);
        this.waits = whole.waits;
        this.reports = whole.reports;
    }

    /** {@inheritDoc} It has all permits of the policy. */
    @Override
    public synchronized RateLimit part(String name, boolean isLogged) {
        RateLimit part = new RateLimit(this, name);
        parts.add(part);
        return part;
    }

    /** Whether a permit is missing, which would be there again if it were forgotten. */
    @Override
    public boolean isAtWork() {
        return available() < policy.capacity();
    }

    @Override
    protected int maxKeys() {
        return policy.maxKeys();
    }

    @Override
    public String name() {
        return reports.name();
    }

    @Override
    public RateLimitPolicy policy() {
        return policy;
    }

    /**
     * Changes the policy while calls run. Permits that were taken stay taken, up to the new burst; a call that waits already has its
     * permit and waits as long as it was going to.
     *
     * @throws dev.resilience.policy.InvalidPolicyException if the store differs, which cannot change
     */
    @Override
    public synchronized void reconfigure(RateLimitPolicy changed) {
        Require.unchanged("store", policy.store(), changed.store());
        permits = permits.reconfigure(changed);
        policy = changed;
        parts.forEach(part -> part.reconfigure(changed));
    }

    /** Forgets what was taken, if no store counts it: for tests that share an application. Keys are not concerned. */
    public synchronized void reset() {
        permits = source.permits(null, policy);
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

    /** Refuses the calls that wait, and writes to the log what is folded. Calls that come later do not wait. */
    @Override
    public void close() {
        waits.close();
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new RateLimitStep(this, next);
    }

    /**
     * Takes a permit for the call of this thread, which is counted if it need not wait or is refused.
     *
     * @return for how many nanoseconds it is to wait; or {@link Permits#WOULD_BLOCK}
     * @throws dev.resilience.exception.ResilienceException if it is refused
     */
    long acquire(boolean mayBlock) {
        RateLimitPolicy current = policy;
        boolean isStopped = waits.isStopped(); // then a wait would take a permit in vain
        boolean mayWait = !isStopped && !current.maxWait().isZero();
        Deadline deadline = mayWait ? Deadline.current() : null;
        Duration left = deadline == null ? current.maxWait() : deadline.left().minusNanos(1); // it must end before it
        long maxWait = mayWait ? Durations.toNanos(Durations.min(current.maxWait(), left)) : 0;
        long wait = permits.acquire(maxWait, false);
        if (wait == Permits.WOULD_BLOCK && mayBlock) {
            wait = waits.interruptibly(() -> permits.acquire(maxWait, true));
        }
        if (wait == 0) {
            reports.accepted.increment();
        } else if (wait < 0 && wait != Permits.WOULD_BLOCK) {
            throw reports.refused(current, wait, isStopped || waits.isStopped());
        }
        return wait;
    }

    /** For a call whose wait was ended before its time. */
    ResilienceException waitEnded() {
        return reports.refused(policy, Permits.INTERRUPTED, waits.isStopped());
    }
}
