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
    private final long start;
    private volatile @Nullable Scheduled timeout;
    private volatile boolean outOfLine;

    WaitingCall(Bulkhead bulkhead, LinkedFuture answer, Runnable call) {
        this.bulkhead = bulkhead;
        this.answer = answer;
        this.call = call;
        this.start = bulkhead.time().nanoTime();
    }

    void standInLine() {
        answer.cancelling(this::cancelled);
        if (!bulkhead.places().standInLine(this)) {
            answer.finish(null, bulkhead.full());
            return;
        }
        timeout = bulkhead.time().scheduleUrgent(bulkhead.policy().queueTimeout(), this::timedOut);
        if (outOfLine) {
            cancelTimeout();
        }
    }

    /** The thread that gave the place has work of its own: the call goes on where the time source lets it. */
    @Override
    public void placeGiven() {
        outOfLine = true;
        cancelTimeout();
        bulkhead.time().schedule(Duration.ZERO, this::begin);
    }

    private void begin() {
        if (answer.isDone()) {
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.cancelled();
            bulkhead.places().leave();
        } else {
            bulkhead.waited(BulkheadOutcome.ACCEPTED, start);
            call.run();
        }
    }

    private void timedOut() {
        if (bulkhead.places().leaveLine(this)) {
            bulkhead.waited(BulkheadOutcome.TIMED_OUT, start);
            answer.finish(null, bulkhead.timedOut());
        }
    }

    private void cancelled() {
        if (bulkhead.places().leaveLine(this)) {
            cancelTimeout();
            bulkhead.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.cancelled();
        }
    }

    private void cancelTimeout() {
        Scheduled scheduled = timeout;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
