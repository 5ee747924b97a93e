package dev.resilience.bulkhead;

import dev.resilience.deadline.TimeAllowed;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A blocking caller in the line: parked until it is given a place, has waited too long, is interrupted
 * or sent away.
 */
final class WaitingThread implements Places.Waiter {

    private final Bulkhead bulkhead;
    private final Places places;
    private final TimeAllowed patience;
    private final Thread thread = Thread.currentThread();
    private volatile boolean given;
    private volatile boolean sentAway;

    WaitingThread(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
        this.places = bulkhead.places();
        this.patience = bulkhead.patience();
    }

    @Override
    public void placeGiven() {
        given = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void sentAway() {
        sentAway = true;
        LockSupport.unpark(thread);
    }

    /**
     * Returns with a place, or throws {@link dev.resilience.exception.BulkheadFullException} without one, or {@link
     * dev.resilience.exception.DeadlineExceededException} where the deadline ended the wait.
     */
    void awaitPlace() {
        long start = bulkhead.time().nanoTime();
        if (!places.standInLine(this)) {
            throw bulkhead.full();
        }
        BulkheadOutcome outcome = parkOrGiveUp(start);
        bulkhead.waited(outcome, start);
        if (outcome == BulkheadOutcome.REJECTED) {
            throw thread.isInterrupted() ? bulkhead.interrupted() : bulkhead.stopped();
        }
        if (outcome == BulkheadOutcome.TIMED_OUT) {
            throw bulkhead.timedOut(patience);
        }
    }

    private BulkheadOutcome parkOrGiveUp(long start) {
        try {
            return park(start);
        } catch (Throwable broken) { // a clock, or the end of memory or stack
            if (places.leaveLine(this)) {
                bulkhead.leftWithoutPlace();
            } else {
                places.leave();
            }
            throw broken;
        }
    }

    private BulkheadOutcome park(long start) {
        long timeoutNanos = Durations.toNanos(patience.timeout());
        while (!given) {
            long left = timeoutNanos - (bulkhead.time().nanoTime() - start);
            boolean unwanted = thread.isInterrupted() || sentAway; // the flag stays set, for the caller to see
            if ((unwanted || left <= 0) && places.leaveLine(this)) {
                return unwanted ? BulkheadOutcome.REJECTED : BulkheadOutcome.TIMED_OUT;
            }
            if (unwanted || left <= 0) {
                break; // the place came first, and is this thread's already
            }
            bulkhead.time().park(bulkhead, Duration.ofNanos(left));
        }
        return BulkheadOutcome.ACCEPTED;
    }
}
