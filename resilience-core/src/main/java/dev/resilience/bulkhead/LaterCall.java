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
        boolean hasPlace = pool != null && places.tryTake();
        try {
            bodyInContext = bulkhead.carrier().wrap(this::runBody);
        } catch (Throwable broken) {
            giveUp(hasPlace, broken);
            return;
        }
        if (hasPlace) {
            goOnElsewhere();
        } else {
            standInLine();
        }
    }

    private void standInLine() {
        boolean stands = false;
        try {
            waited = true;
            start = time.nanoTime();
            TimeAllowed patience = bulkhead.patience();
            stands = places.standInLine(this);
            if (stands) {
                startTimer(patience);
            } else {
                answer.finish(null, bulkhead.full());
            }
        } catch (Throwable broken) { // a clock, or no thread for one
            if (!stands || places.leaveLine(this)) {
                giveUp(false, broken);
            }
        }
    }

    private void startTimer(TimeAllowed patience) {
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
                time.scheduleUrgent(Duration.ZERO, this); // not behind the slow bodies of other policies
            } else {
                pool.execute(this);
            }
        } catch (Throwable noThread) {
            giveUp(true, noThread);
        }
    }

    /** With a place. */
    @Override
    public void run() {
        answer.inContext(() -> {
            try {
                body.carry(bodyInContext);
            } catch (Throwable notBegun) {
                giveUp(true, notBegun);
            }
        });
    }

    private void runBody() {
        if (waited) {
            bulkhead.waited(BulkheadOutcome.ACCEPTED, start);
        }
        answer.cancelling(body::stop); // at once if it has been cancelled already
        if (body.begin()) {
            answer.await(body.run(next, invocation), (result, failure) -> {
                places.leave();
                answer.finish(result, failure);
            });
        } else {
            places.leave();
        }
    }

    @Override
    public void interrupt() {
        body.interrupt();
    }

    private void giveUp(boolean hasPlace, Throwable failure) {
        if (hasPlace) {
            places.leave();
        } else {
            bulkhead.leftWithoutPlace();
        }
        answer.finish(null, failure);
    }

    private void timedOut(TimeAllowed patience) {
        if (places.leaveLine(this)) {
            bulkhead.waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.timedOut(patience));
        }
    }

    @Override
    public void sentAway() {
        if (leftUnwanted()) {
            answer.finish(null, bulkhead.stopped());
        }
    }

    private void cancelled() {
        if (leftUnwanted()) {
            bulkhead.leftWithoutPlace();
        }
    }

    private boolean leftUnwanted() {
        boolean left = places.leaveLine(this);
        if (left) {
            cancelTimer();
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
        }
        return left;
    }

    private void cancelTimer() {
        Scheduled scheduled = timer;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
