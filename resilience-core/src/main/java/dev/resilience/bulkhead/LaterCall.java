package dev.resilience.bulkhead;

import dev.resilience.deadline.TimeAllowed;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.worker.Job;
import dev.resilience.worker.StageBody;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call that does not begin on its caller's thread: it waits in line, which takes no thread at all, or
 * runs in the pool, or both. Whether one in line is given a place, times out or is cancelled is decided by who takes it
 * out of the line.
 *
 * <p>The place is held until the body has returned and its stage has ended; the pool's thread only until the body has
 * returned.
 */
final class LaterCall implements Places.Waiter, Job {

    private final Bulkhead bulkhead;
    private final Places places;
    private final TimeSource time;
    private final @Nullable Pool pool;
    private final Step next;
    private final Invocation invocation;
    private final LinkedFuture answer;
    private final StageBody body = new StageBody();
    private Runnable bodyInContext = this::runBody;
    private boolean waited; // this and the start are written before the call is seen by another thread
    private long start;
    private volatile @Nullable Scheduled timer;
    private volatile boolean outOfLine;

    LaterCall(Bulkhead bulkhead, @Nullable Pool pool, Step next, Invocation invocation, LinkedFuture answer) {
        this.bulkhead = bulkhead;
        this.places = bulkhead.places();
        this.time = bulkhead.time();
        this.pool = pool;
        this.next = next;
        this.invocation = invocation;
        this.answer = answer;
    }

    /** Begins the call as soon as there is a place; never throws. */
    void start() {
        answer.cancelling(this::cancelled);
        try {
            bodyInContext = bulkhead.carrier().wrap(this::runBody);
        } catch (Throwable broken) {
            answer.finish(null, broken);
            return;
        }
        if (pool != null && places.tryTake()) {
            goOnElsewhere();
        } else {
            standInLine();
        }
    }

    private void standInLine() {
        waited = true;
        start = time.nanoTime();
        TimeAllowed patience = bulkhead.patience();
        if (!places.standInLine(this)) {
            answer.finish(null, bulkhead.full());
            return;
        }
        timer = time.scheduleUrgent(patience.timeout(), () -> timedOut(patience));
        if (outOfLine) {
            cancelTimer();
        }
    }

    @Override
    public void placeGiven() {
        outOfLine = true;
        cancelTimer();
        goOnElsewhere();
    }

    /** The thread that gave the place has work of its own. */
    private void goOnElsewhere() {
        try {
            if (pool == null) {
                time.schedule(Duration.ZERO, this);
            } else {
                pool.execute(this);
            }
        } catch (Throwable noThread) {
            places.leave();
            answer.finish(null, noThread);
        }
    }

    /** With a place. */
    @Override
    public void run() {
        answer.inContext(() -> {
            try {
                bodyInContext.run();
            } finally {
                if (!body.hasBegun()) { // what was taken along could not be put in place
                    places.leave();
                }
            }
        });
    }

    private void runBody() {
        answer.cancelling(body::stop); // at once if it has been cancelled already
        boolean begun = body.begin();
        if (waited) {
            bulkhead.waited(begun ? BulkheadOutcome.ACCEPTED : BulkheadOutcome.REJECTED, start);
        }
        if (begun) {
            answer.await(body.run(next, invocation), (result, failure) -> {
                places.leave();
                answer.finish(result, failure);
            });
        } else {
            bulkhead.cancelledWithPlace();
        }
    }

    @Override
    public void interrupt() {
        body.interrupt();
    }

    private void timedOut(TimeAllowed patience) {
        if (places.leaveLine(this)) {
            bulkhead.waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.timedOut(patience));
        }
    }

    private void cancelled() {
        if (places.leaveLine(this)) {
            cancelTimer();
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.cancelled();
        }
    }

    private void cancelTimer() {
        Scheduled scheduled = timer;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
