package dev.resilience.bulkhead;

import dev.resilience.deadline.TimeAllowed;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A blocking caller in the line: parked until it is given a place, has waited too long or is interrupted. */
final class WaitingThread implements Places.Waiter {

    private final Bulkhead bulkhead;
    private final TimeAllowed patience;
    private final Thread thread = Thread.currentThread();
    private volatile boolean given;

    WaitingThread(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
        this.patience = bulkhead.patience();
    }

    @Override
    public void placeGiven() {
        given = true;
        LockSupport.unpark(thread);
    }

    /**
     * Returns with a place, or throws {@link dev.resilience.exception.BulkheadFullException} without one, or {@link
     * dev.resilience.exception.DeadlineExceededException} where the deadline ended the wait.
     */
    void awaitPlace() {
        long start = bulkhead.time().nanoTime();
        if (!bulkhead.places().standInLine(this)) {
            throw bulkhead.full();
        }
        BulkheadOutcome outcome = park(start);
        bulkhead.waited(outcome, start);
        if (outcome == BulkheadOutcome.REJECTED) {
            throw bulkhead.interrupted();
        }
        if (outcome == BulkheadOutcome.TIMED_OUT) {
            throw bulkhead.timedOut(patience);
        }
    }

    private BulkheadOutcome park(long start) {
        long timeoutNanos = Durations.toNanos(patience.timeout());
        while (!given) {
            long left = timeoutNanos - (bulkhead.time().nanoTime() - start);
            boolean interrupted = thread.isInterrupted(); // stays set, for the caller to see
            if ((interrupted || left <= 0) && bulkhead.places().leaveLine(this)) {
                return interrupted ? BulkheadOutcome.REJECTED : BulkheadOutcome.TIMED_OUT;
            }
            if (interrupted || left <= 0) {
                break; // the place came first, and is this thread's already
            }
            bulkhead.time().park(bulkhead, Duration.ofNanos(left));
        }
        return BulkheadOutcome.ACCEPTED;
    }
}
