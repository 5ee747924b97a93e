package dev.resilience.bulkhead;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import dev.resilience.worker.AsyncBody;
import dev.resilience.worker.CancellableTimer;
import dev.resilience.worker.StoppableTask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call that does not begin on its caller's thread: it waits in the queue, which takes no thread at all, or
 * runs in the pool, or both. Whether one in the queue is granted a permit, times out or is cancelled is decided by
 * the thread that takes it out of the queue.
 *
 * <p>The permit is held until the body has returned and its stage has ended; the pool's thread only until the body has
 * returned.
 */
final class AsyncBulkheadCall implements PermitQueue.Waiter, StoppableTask {

    private final Bulkhead bulkhead;
    private final PermitQueue permits;
    private final TimeSource time;
    private final @Nullable BulkheadExecutor pool;
    private final int stops;
    private final Step next;
    private final Invocation invocation;
    private final LinkedFuture answer;
    private final AsyncBody body = new AsyncBody();
    private final CancellableTimer alarm = new CancellableTimer();
    private final AtomicBoolean ended = new AtomicBoolean();
    private Runnable bodyInContext = this::runBody;
    private boolean waited; // this and the start are written before the call is seen by another thread
    private long start;

    AsyncBulkheadCall(
            Bulkhead bulkhead, @Nullable BulkheadExecutor pool, Step next, Invocation invocation, LinkedFuture answer) {
        this.bulkhead = bulkhead;
        this.permits = bulkhead.permits();
        this.time = bulkhead.time();
        this.pool = pool;
        this.stops = bulkhead.stops();
        this.next = next;
        this.invocation = invocation;
        this.answer = answer;
    }

    /** Begins the call as soon as there is a permit; never throws. */
    void start() {
        answer.cancelling(this::cancelled);
        boolean hasPermit = pool != null && permits.tryAcquire();
        try {
            bodyInContext = answer.takingAlong(bulkhead.carrier(), pool == null ? null : pool::goOn, this::runBody);
        } catch (Throwable broken) {
            if (hasPermit) {
                end(null, broken);
            } else {
                leftWithoutPermit(broken);
            }
            return;
        }
        if (hasPermit) {
            goOnElsewhere();
        } else {
            enqueue();
        }
    }

    private void enqueue() {
        boolean stands = false;
        try {
            waited = true;
            start = time.nanoTime();
            EffectiveTimeout patience = bulkhead.patience();
            stands = permits.enqueue(this);
            if (stands) {
                alarm.set(time, patience.timeout(), () -> timedOut(patience));
            } else {
                answer.finish(null, bulkhead.full());
            }
        } catch (Throwable broken) { // a clock, or no thread for one
            if (!stands || permits.withdraw(this)) {
                leftWithoutPermit(broken);
            }
        }
    }

    private void leftWithoutPermit(Throwable broken) {
        bulkhead.leftWithoutPermit();
        answer.finish(null, broken);
    }

    @Override
    public boolean runsInPool() {
        return pool != null;
    }

    @Override
    public void permitGranted() {
        alarm.off();
        goOnElsewhere();
    }

    /** The thread that granted the permit has work of its own. */
    private void goOnElsewhere() {
        try {
            if (pool == null) {
                BulkheadExecutor threads = bulkhead.threads();
                threads.execute(this, threads.stops(), this::urgently); // not behind the slow bodies of other policies
            } else {
                pool.execute(this, stops);
            }
        } catch (Throwable noThread) {
            end(null, noThread);
        }
    }

    /** With a permit. */
    @Override
    public void run() {
        answer.inContext(() -> {
            try {
                body.carry(bodyInContext);
            } catch (Throwable notBegun) {
                end(null, notBegun);
            }
        });
    }

    private void runBody() {
        if (body.hasBegun()) { // a carrier has run it twice
            return;
        }
        if (waited) {
            bulkhead.waited(BulkheadOutcome.ACCEPTED, start);
        }
        answer.cancelling(body::stop); // at once if it has been cancelled already
        if (!body.begin()) {
            end(null, bulkhead.stopped());
            return;
        }
        try {
            CompletableFuture<@Nullable Object> stage = body.run(next, invocation);
            Thread.interrupted(); // a stray one: the thread is a worker, and what comes next is not the body
            answer.await(stage, this::end);
        } catch (Throwable broken) {
            end(null, broken);
        }
    }

    /** Releases the permit, once. */
    private void end(@Nullable Object result, @Nullable Throwable failure) {
        if (ended.compareAndSet(false, true)) {
            permits.release();
            bulkhead.threads().ended(this);
        }
        answer.finish(result, failure);
    }

    @Override
    public boolean hasEnded() {
        return ended.get();
    }

    @Override
    public void stop() {
        stop(this::elsewhere);
    }

    @Override
    public void stop(Executor elsewhere) {
        body.stop(elsewhere);
    }

    private void timedOut(EffectiveTimeout patience) {
        if (permits.withdraw(this)) {
            bulkhead.waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.timedOut(patience));
        }
    }

    /** By a thread that has others to reject, too. */
    @Override
    public void rejected(Executor elsewhere) {
        alarm.off();
        elsewhere.execute(() -> {
            try {
                bulkhead.waited(BulkheadOutcome.REJECTED, start);
            } finally {
                answer.finish(null, bulkhead.rejectedWhileQueued());
            }
        });
    }

    /** What the application does when a future ends may take long. */
    private void elsewhere(Runnable action) {
        try {
            urgently(action);
        } catch (Throwable noThread) {
            action.run();
        }
    }

    private void urgently(Runnable action) {
        time.scheduleUrgent(Duration.ZERO, action);
    }

    private void cancelled() {
        if (permits.withdraw(this)) {
            alarm.off();
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.leftWithoutPermit();
        }
    }
}
