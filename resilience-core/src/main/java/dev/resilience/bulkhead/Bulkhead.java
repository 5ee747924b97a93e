package dev.resilience.bulkhead;

import dev.resilience.context.ContextCarrier;
import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.time.DelayedTask;
import dev.resilience.time.DelayedTasks;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.CancellableTimer;
import dev.resilience.worker.ShutdownTasks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bulkhead policy at work: lets a limited number of calls run at once and a limited number wait in a queue, first come,
 * first served. A blocking caller waits on its own thread, an asynchronous call waits without one. With type {@code
 * thread-pool} calls run on the bulkhead's own threads; then a blocking caller waits for the end of its call too, and an
 * interrupt or a cancellation of the caller's reaches the body.
 *
 * <p>Safe for use by many threads.
 */
public final class Bulkhead implements LiveObject<BulkheadPolicy>, Layer, AutoCloseable {

    private final String name;
    private final TimeSource time;
    private final ContextCarrier carrier;
    private final PermitQueue permits;
    private final DelayedTasks timeouts;
    private final BulkheadExecutor threads;
    private volatile BulkheadPolicy policy;
    private final BulkheadReports reports;

    /**
     * For adapters; applications ask {@link dev.resilience.Resilience#bulkhead}.
     *
     * @param carrier takes along what is bound to the caller's thread to the thread on which the call goes on
     */
    public Bulkhead(
            String name, BulkheadPolicy policy, TimeSource time, EventPublisher events, ContextCarrier carrier) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.carrier = carrier;
        this.permits = new PermitQueue(policy.maxConcurrent(), policy.maxQueue());
        this.timeouts = new DelayedTasks(
                time,
                (delay, action) -> {
                    CancellableTimer timer = new CancellableTimer();
                    timer.set(time, delay, action);
                    return timer::off;
                },
                DelayedTask::onDue);
        this.threads = new BulkheadExecutor(name, policy);
        this.reports = new BulkheadReports(name, time, events, permits);
    }

    /** A bulkhead with the system's time, which takes along what {@link ContextCarrier#standard()} does. */
    public static Bulkhead of(String name, BulkheadPolicy policy) {
        return new Bulkhead(name, policy, TimeSource.system(), new EventPublisher(), ContextCarrier.standard());
    }

    @Override
    public String name() {
        return name;
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
    public synchronized void reconfigure(BulkheadPolicy changed) {
        threads.configure(changed);
        policy = changed;
        permits.limit(changed.maxConcurrent(), changed.maxQueue());
    }

    /** Calls that hold a permit now. */
    public int running() {
        return permits.running();
    }

    /** Calls that wait in the queue now. */
    public int queued() {
        return permits.waiting();
    }

    /**
     * Whether calls run on other threads than their callers': one that has not ended in the pool, or holds or waits for a
     * place to run there, or an asynchronous one that has waited in the queue and runs. One whose stage goes on without a thread
     * is among them.
     */
    public boolean poolHasWork() {
        // in the order in which calls move on, or one could be missed
        return permits.anyForPool() || (pool() != null && running() > 0) || threads.hasWork();
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
        List<PermitQueue.Waiter> rejected = permits.reject();
        ShutdownTasks.run(time, ends -> {
            threads.stop(ends);
            rejected.forEach(waiter -> waiter.rejected(ends));
        });
    }

    /**
     * Rejects all calls that wait in the queue, and lets none wait until {@link #resume()}: those that find no permit are
     * refused at once. Calls that have a permit are left alone. Returns without waiting.
     */
    public void stopWaits() {
        List<PermitQueue.Waiter> rejected = permits.close();
        ShutdownTasks.run(time, ends -> rejected.forEach(waiter -> waiter.rejected(ends)));
    }

    /** Lets calls wait again. */
    public void resume() {
        permits.open();
    }

    /**
     * Stops the pool and lets go of its threads: calls that come later find none that is kept for them, and none waits in
     * line. What the log has counted in place of single lines is written.
     */
    @Override
    public void close() {
        stopWaits();
        stopPool();
        threads.releaseIdleThreads();
        reports.close();
    }

    @Override
    public Step around(Step next) {
        return new BulkheadStep(this, next);
    }

    PermitQueue permits() {
        return permits;
    }

    BulkheadReports reports() {
        return reports;
    }

    /** The ends of the waits of calls that wait without a thread. */
    DelayedTasks timeouts() {
        return timeouts;
    }

    TimeSource time() {
        return time;
    }

    ContextCarrier carrier() {
        return carrier;
    }

    /** The bulkhead's own threads, whether calls run there now or not. */
    BulkheadExecutor threads() {
        return threads;
    }

    /** Where calls run, or {@code null} if that is on their callers' threads. */
    @Nullable
    BulkheadExecutor pool() {
        return policy.type() == BulkheadPolicy.Type.THREAD_POOL ? threads : null;
    }

    /** How often the pool has been stopped. */
    int stops() {
        return threads.stops();
    }

    /** How long the call of the current thread may wait in the queue. */
    EffectiveTimeout patience() {
        return EffectiveTimeout.under(policy.queueTimeout());
    }
}
