package dev.resilience.bulkhead;

import dev.resilience.context.Deadline;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.InterruptibleExecution.Stoppable;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * A bulkhead policy at work: lets a limited number of calls run at once and a limited number wait in a queue, first come,
 * first served. A blocking caller waits on its own thread, an asynchronous call waits without one. With type {@code
 * thread-pool} calls run on the bulkhead's own threads; then a blocking caller waits for the end of its call too, and an
 * interrupt or a cancellation of the caller's reaches the body.
 *
 * <p>Safe for use by many threads.
 */
public final class Bulkhead extends PerKey<Bulkhead> implements LiveObject<BulkheadPolicy>, AutoCloseable {

    final Environment environment;
    final PermitQueue permits;
    final BulkheadReports reports;

    /** Calls that run on other threads than their callers', with a permit or let through without one; those of parts too. */
    final Set<Stoppable> moved;

    volatile ThreadPoolExecutor threads;

    /** What moves the limit; {@code null} where it is fixed. */
    volatile @Nullable AdaptiveLimit adaptive;

    private volatile BulkheadPolicy policy;

    /** For adapters; applications ask {@link dev.resilience.Resilience#bulkhead}. */
    public Bulkhead(String name, BulkheadPolicy policy, Environment environment) {
        super(null);
        this.policy = policy;
        this.environment = environment;
        this.adaptive = adaptive(policy);
        this.permits = new PermitQueue(target(), policy.maxQueue());
        this.moved = ConcurrentHashMap.newKeySet();
        this.reports = new BulkheadReports(name, environment, permits, new OutcomeCounters<>(BulkheadOutcome.class));
        this.threads = threads(policy);
        calls().read(BulkheadOutcome.ACCEPTED, this::acquisitions);
    }

    private Bulkhead(String part, boolean isLogged, Bulkhead ofAll) {
        super(ofAll);
        this.policy = ofAll.policy;
        this.environment = ofAll.environment;
        this.adaptive = adaptive(policy);
        this.permits = new PermitQueue(target(), policy.maxQueue());
        this.moved = ofAll.moved;
        this.threads = ofAll.threads;
        this.reports = new BulkheadReports(part, isLogged, ofAll.reports, permits);
    }

    /** {@inheritDoc} It has as many permits as the policy says, and its calls run on the threads of this one. */
    @Override
    public synchronized Bulkhead part(String name, boolean isLogged) {
        Bulkhead part = new Bulkhead(name, isLogged, this);
        parts.add(part);
        if (permits.isClosed()) {
            part.stopWaits();
        }
        return part;
    }

    @Override
    protected void ended() {
        calls().counter(BulkheadOutcome.ACCEPTED).add(permits.acquisitions());
    }

    @Override
    public boolean isAtWork() {
        return running() + queued() > 0;
    }

    @Override
    protected int maxKeys() {
        return policy.maxKeys();
    }

    private synchronized long acquisitions() {
        return permits.acquisitions()
                + calls().counter(BulkheadOutcome.ACCEPTED).sum() // of parts that have ended
                + parts.stream().mapToLong(part -> part.permits.acquisitions()).sum();
    }

    @Override
    public String name() {
        return reports.name();
    }

    @Override
    public BulkheadPolicy policy() {
        return policy;
    }

    /**
     * Changes the policy while calls run. Those that have a permit keep it, be there more of them than the new limit
     * allows: then new ones wait until enough have left. Those in the queue stay there for as long as they were going to
     * wait, and are let in as soon as a higher limit has a permit for them. A call runs where the policy says at the
     * moment when it gets its permit, or when it is made if it is asynchronous.
     */
    @Override
    public void reconfigure(BulkheadPolicy changed) {
        change(changed);
        followLimit(); // which may have moved meanwhile; those that wait run without the lock of the change
        parts.forEach(Bulkhead::followLimit);
    }

    private synchronized void change(BulkheadPolicy changed) {
        if (areVirtual(changed) != areVirtual(policy)) {
            WorkerThreads.releaseIdle(threads);
            threads = ofAll == null ? threads(changed) : ofAll.threads;
        }
        policy = changed;
        adaptive = adaptive(changed);
        permits.limit(target(), changed.maxQueue());
        parts.forEach(part -> part.change(changed));
    }

    /** Goes on from where the limit is if it was adaptive before, in the same window unless the bounds are others. */
    private @Nullable AdaptiveLimit adaptive(BulkheadPolicy changed) {
        if (changed.type() != BulkheadPolicy.Type.ADAPTIVE) {
            return null;
        }
        int min = changed.minConcurrent();
        int max = changed.maxConcurrent();
        AdaptiveLimit before = adaptive;
        if (before != null && before.search().isWithin(min, max)) {
            return before;
        }
        LimitSearch search =
                before == null ? LimitSearch.between(min, max) : before.search().within(min, max);
        return new AdaptiveLimit(search, environment.time(), environment.faults(), this::followLimit);
    }

    private void followLimit() {
        permits.limit(this::target);
    }

    private int target() {
        AdaptiveLimit moving = adaptive;
        return moving == null ? policy.maxConcurrent() : moving.limit();
    }

    /** Calls that hold a permit go there, so their number needs no bound of its own, and those that are let through have none. */
    private ThreadPoolExecutor threads(BulkheadPolicy changed) {
        return WorkerThreads.pool("resilience-bulkhead-" + name() + "-", Integer.MAX_VALUE, areVirtual(changed));
    }

    /** Beside a semaphore only asynchronous calls go there that have waited in the queue: as those of a retry after a wait. */
    private static boolean areVirtual(BulkheadPolicy policy) {
        return policy.virtualThreads()
                || (policy.type() != BulkheadPolicy.Type.THREAD_POOL && WorkerThreads.canBeVirtual());
    }

    /** Calls that hold a permit now. */
    public int running() {
        return permits.running() + parts.stream().mapToInt(Bulkhead::running).sum();
    }

    /**
     * Calls that may hold a permit at once now: {@code max-concurrent}, or what type {@code adaptive} has found. Each {@linkplain
     * #part part} and each key finds its own.
     */
    public int limit() {
        return permits.limit();
    }

    /** Whether {@link #limit()} holds for all calls: not where parts or keys have each found another one. */
    public boolean hasOneLimit() {
        return adaptive == null || (parts.isEmpty() && keys() == null);
    }

    /** Calls that wait in the queue now. */
    public int queued() {
        return permits.waiting() + parts.stream().mapToInt(Bulkhead::queued).sum();
    }

    /** Whether a call would be refused that comes now without a key. */
    public boolean isFull() {
        return permits.running() >= permits.limit() && permits.waiting() >= policy.maxQueue();
    }

    /**
     * Whether calls run on other threads than their callers': one that has not ended in the pool, or holds or waits for a
     * permit to run there, or an asynchronous one that has waited in the queue and runs. One whose stage goes on without a
     * thread is among them.
     */
    public boolean poolHasWork() {
        return !moved.isEmpty() || (pool() != null && running() + queued() > 0);
    }

    /**
     * For how long a call holds its permit on average, as measured while others waited; {@code null} until a thousand have been
     * seen to get one. What {@linkplain #part parts} and keys do is not measured.
     */
    public @Nullable Duration measuredDuration() {
        return reports.measuredDuration();
    }

    /** Calls by how they were received; one that is cancelled after it was granted a permit was accepted. */
    public OutcomeCounters<BulkheadOutcome> calls() {
        return reports.calls();
    }

    /**
     * Rejects the calls that wait in the queue for the pool. Interrupts the bodies that run in it, and those of asynchronous
     * calls that have waited in the queue, and cancels the stages that they have made. Calls that are made later are served as
     * before. To let all end in peace, wait until the pool {@linkplain #poolHasWork() has no work} first.
     */
    public void stopPool() {
        permits.rejectIf(PermitQueue.Waiter::runsInPool);
        parts.forEach(part -> part.permits.rejectIf(PermitQueue.Waiter::runsInPool));
        moved.forEach(call -> end(Duration.ZERO, call::stop));
    }

    /**
     * Rejects all calls that wait in the queue, and lets none wait until {@link #resume()}: those that find no permit are
     * refused at once. Calls that have a permit are left alone. Returns without waiting.
     */
    public void stopWaits() {
        permits.close();
        parts.forEach(Bulkhead::stopWaits);
    }

    /** Lets calls wait again. */
    public void resume() {
        permits.open();
        parts.forEach(Bulkhead::resume);
    }

    /**
     * Stops the pool and lets go of its threads: calls that come later find none that is kept for them, and none waits in
     * line. What the log has counted in place of single lines is written.
     */
    @Override
    public void close() {
        stopWaits();
        stopPool();
        WorkerThreads.releaseIdle(threads);
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new BulkheadStep(this, next);
    }

    /** Where calls run, or {@code null} if that is on their callers' threads. */
    @Nullable
    Executor pool() {
        return policy.type() == BulkheadPolicy.Type.THREAD_POOL ? threads : null;
    }

    /** Where a call goes on that has waited in the queue. */
    void runElsewhere(Runnable call) {
        environment.time().schedule(Duration.ZERO, call, threads);
    }

    /** On a thread that no call can hold: neither a busy one of the bulkhead nor a virtual one without a carrier. */
    Scheduled end(Duration delay, Runnable action) {
        return environment.time().schedule(delay, action, WorkerThreads.ENDS);
    }

    /** Whether a call that is over the limits goes on without a permit; counted. The end of the application is no limit. */
    boolean letsThrough() {
        boolean letThrough = !permits.isClosed() && !reports.enforces(policy.enforce());
        if (letThrough) {
            calls().count(BulkheadOutcome.WOULD_REJECT);
        }
        return letThrough;
    }

    /** What measures a call that begins; {@code null} if none does, as where calls are let through that a limit would not. */
    @Nullable
    AdaptiveLimit measuring() {
        return policy.enforce() < 1 ? null : adaptive;
    }

    /** A call has found no permit. */
    void limitReached() {
        AdaptiveLimit moving = measuring();
        if (moving != null) {
            moving.reached();
        }
    }

    /** How long the call of the current thread may wait in the queue. */
    Deadline.Timeout queueTimeout() {
        return Deadline.Timeout.under(policy.queueTimeout());
    }
}
