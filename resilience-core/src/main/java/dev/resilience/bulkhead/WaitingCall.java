package dev.resilience.bulkhead;

import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call in the line, which holds no thread. Whether it is given a place, times out or is cancelled is
 * decided by who takes it out of the line.
 */
final class WaitingCall implements Places.Waiter {

    private final Bulkhead bulkhead;
    private final LinkedFuture answer;
    private final Runnable call;
    private final Duration timeout;
    private final long start;
    private volatile @Nullable Scheduled timer;
    private volatile boolean outOfLine;

    WaitingCall(Bulkhead bulkhead, LinkedFuture answer, Runnable call) {
        this.bulkhead = bulkhead;
        this.answer = answer;
        this.call = call;
        this.timeout = bulkhead.queueTimeout();
        this.start = bulkhead.time().nanoTime();
    }

    void standInLine() {
        answer.cancelling(this::cancelled);
        if (!bulkhead.places().standInLine(this)) {
            answer.finish(null, bulkhead.full());
            return;
        }
        timer = bulkhead.time().scheduleUrgent(timeout, this::timedOut);
        if (outOfLine) {
            cancelTimer();
        }
    }

    /** The thread that gave the place has work of its own: the call goes on where the time source lets it. */
    @Override
    public void placeGiven() {
        outOfLine = true;
        cancelTimer();
        bulkhead.time().schedule(Duration.ZERO, this::begin);
    }

    private void begin() {
        if (answer.isDone()) {
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.cancelledWithPlace();
        } else {
            bulkhead.waited(BulkheadOutcome.ACCEPTED, start);
            answer.inContext(call);
        }
    }

    private void timedOut() {
        if (bulkhead.places().leaveLine(this)) {
            bulkhead.waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.timedOut(timeout));
        }
    }

    private void cancelled() {
        if (bulkhead.places().leaveLine(this)) {
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
