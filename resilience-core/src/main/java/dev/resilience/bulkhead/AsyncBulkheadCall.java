package dev.resilience.bulkhead;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.AsyncBody;
import dev.resilience.worker.Detached;
import dev.resilience.worker.StoppableTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call that does not begin on its caller's thread: it waits in the queue, which takes no thread at all, or
 * runs in the pool, or both. Whether one in the queue is granted a permit, times out or is cancelled is decided by
 * the thread that takes it out of the queue.
 *
 * <p>The permit is held until the body has returned and its stage has ended; the pool's thread only until the body has
 * returned.
 */
final class AsyncBulkheadCall extends PermitQueue.Waiter implements StoppableTask {

    private static final VarHandle ENDED;

    static {
        try {
            ENDED = MethodHandles.lookup().findVarHandle(AsyncBulkheadCall.class, "ended", boolean.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Bulkhead bulkhead;
    private final @Nullable BulkheadExecutor pool;
    private final int stops;
    private final Step next;
    private final Invocation invocation;
    private final LinkedFuture answer;
    private volatile boolean ended;
    private @Nullable Runnable bodyInContext; // this and the next are written before the call is seen by another thread
    private @Nullable EffectiveTimeout patience; // of a call that waited
    private long start;
    private @Nullable AsyncBody body; // of a call that has a permit

    AsyncBulkheadCall(
            Bulkhead bulkhead, @Nullable BulkheadExecutor pool, Step next, Invocation invocation, LinkedFuture answer) {
        this.bulkhead = bulkhead;
        this.pool = pool;
        this.stops = bulkhead.stops();
        this.next = next;
        this.invocation = invocation;
        this.answer = answer;
    }

    /** Begins the call as soon as there is a permit; never throws. */
    void start() {
        answer.cancelling(this::cancelled);
        boolean hasPermit = pool != null && bulkhead.permits().tryAcquire();
        try {
            if (!answer.takesAlongBy(bulkhead.carrier())) {
                bodyInContext = bodyInContext();
            }
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

    private Runnable bodyInContext() {
        return answer.takingAlong(bulkhead.carrier(), pool == null ? null : pool::goOn, this::runBody);
    }

    private void enqueue() {
        boolean stands = false;
        try {
            start = bulkhead.time().nanoTime();
            EffectiveTimeout longest = bulkhead.patience();
            patience = longest;
            stands = bulkhead.permits().enqueue(this);
            if (stands) {
                bulkhead.timeouts().add(this, longest.timeout());
            } else {
                answer.finish(null, bulkhead.reports().full(bulkhead.policy()));
            }
        } catch (Throwable broken) { // a clock, or no thread for one
            if (!stands || bulkhead.permits().withdraw(this)) {
                leftWithoutPermit(broken);
            }
        }
    }

    private void leftWithoutPermit(Throwable broken) {
        bulkhead.reports().leftWithoutPermit();
        answer.finish(null, broken);
    }

    @Override
    boolean runsInPool() {
        return pool != null;
    }

    @Override
    void permitGranted() {
        bulkhead.timeouts().remove(this);
        goOnElsewhere();
    }

    /** The thread that granted the permit has work of its own. */
    private void goOnElsewhere() {
        body = new AsyncBody();
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
                body().carry(bodyInContext == null ? bodyInContext() : bodyInContext);
            } catch (Throwable notBegun) {
                end(null, notBegun);
            }
        });
    }

    private AsyncBody body() {
        return Objects.requireNonNull(body);
    }

    private void runBody() {
        AsyncBody body = body();
        if (body.hasBegun()) { // a carrier has run it twice
            return;
        }
        if (patience != null) {
            bulkhead.reports().waited(BulkheadOutcome.ACCEPTED, start);
        }
        answer.cancelling(body::stop); // at once if it has been cancelled already
        if (!body.begin()) {
            end(null, bulkhead.reports().stopped());
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
        if (ENDED.compareAndSet(this, false, true)) {
            bulkhead.permits().release();
            bulkhead.threads().ended(this);
        }
        answer.finish(result, failure);
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public void stop() {
        stop(this::elsewhere);
    }

    @Override
    public void stop(Executor elsewhere) {
        body().stop(elsewhere);
    }

    /** On the thread of the timer. */
    @Override
    public void onDue() {
        elsewhere(this::timedOut);
    }

    private void timedOut() {
        if (bulkhead.permits().withdraw(this)) {
            bulkhead.reports().waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.reports().timedOut(Objects.requireNonNull(patience)));
        }
    }

    /** By a thread that has others to reject, too. */
    @Override
    void rejected(Executor elsewhere) {
        bulkhead.timeouts().remove(this);
        elsewhere.execute(() -> {
            try {
                bulkhead.reports().waited(BulkheadOutcome.REJECTED, start);
            } finally {
                answer.finish(null, bulkhead.reports().rejectedWhileQueued());
            }
        });
    }

    /** What the application does when a future ends may take long. */
    private void elsewhere(Runnable action) {
        Detached.run(bulkhead.time(), action);
    }

    private void urgently(Runnable action) {
        bulkhead.time().scheduleUrgent(Duration.ZERO, action);
    }

    private void cancelled() {
        if (bulkhead.permits().withdraw(this)) {
            bulkhead.timeouts().remove(this);
            bulkhead.reports().waited(BulkheadOutcome.REJECTED, start);
            bulkhead.reports().leftWithoutPermit();
        }
    }
}
