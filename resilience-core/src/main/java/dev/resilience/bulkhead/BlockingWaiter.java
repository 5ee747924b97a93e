package dev.resilience.bulkhead;

import dev.resilience.context.EffectiveTimeout;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A blocking caller in the queue: parked until it is granted a permit, has waited too long, is interrupted or rejected.
 */
final class BlockingWaiter extends PermitQueue.Waiter {

    private final Bulkhead bulkhead;
    private final PermitQueue permits;
    private final EffectiveTimeout patience;
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable BulkheadOutcome word; // of the thread that took it out of the queue

    BlockingWaiter(Bulkhead bulkhead) {
        this.bulkhead = bulkhead;
        this.permits = bulkhead.permits();
        this.patience = bulkhead.patience();
    }

    @Override
    boolean runsInPool() {
        return bulkhead.pool() != null;
    }

    @Override
    void permitGranted() {
        word = BulkheadOutcome.ACCEPTED;
        LockSupport.unpark(thread);
    }

    @Override
    void rejected(Executor elsewhere) {
        word = BulkheadOutcome.REJECTED;
        LockSupport.unpark(thread);
    }

    /**
     * Returns with a permit, or throws {@link dev.resilience.exception.BulkheadFullException} without one, or {@link
     * dev.resilience.exception.DeadlineExceededException} where the deadline ended the wait.
     */
    void awaitPermit() {
        long start = bulkhead.time().nanoTime();
        if (!permits.enqueue(this)) {
            throw bulkhead.reports().full(bulkhead.policy());
        }
        BulkheadOutcome outcome = parkOrGiveUp(start);
        bulkhead.reports().waited(outcome, start);
        if (outcome == BulkheadOutcome.REJECTED) {
            throw word == null
                    ? bulkhead.reports().interrupted()
                    : bulkhead.reports().rejectedWhileQueued();
        }
        if (outcome == BulkheadOutcome.TIMED_OUT) {
            throw bulkhead.reports().timedOut(patience);
        }
    }

    private BulkheadOutcome parkOrGiveUp(long start) {
        try {
            return park(start);
        } catch (Throwable broken) { // a clock, or the end of memory or stack
            if (permits.withdraw(this) || wordOfOthers() == BulkheadOutcome.REJECTED) {
                bulkhead.reports().leftWithoutPermit();
            } else {
                permits.release();
            }
            throw broken;
        }
    }

    private BulkheadOutcome park(long start) {
        long timeoutNanos = Durations.toNanos(patience.timeout());
        BulkheadOutcome decided = word;
        while (decided == null) {
            long left = timeoutNanos - (bulkhead.time().nanoTime() - start);
            boolean interrupted = thread.isInterrupted(); // stays set, for the caller to see
            if (interrupted || left <= 0) {
                boolean gaveUp = permits.withdraw(this);
                return gaveUp ? interrupted ? BulkheadOutcome.REJECTED : BulkheadOutcome.TIMED_OUT : wordOfOthers();
            }
            bulkhead.time().park(bulkhead, Duration.ofNanos(left));
            decided = word;
        }
        return decided;
    }

    /** The thread that takes a waiter out of the queue says so right after that. */
    @SuppressWarnings("ThreadPriorityCheck") // right however the threads are scheduled, and a yield is seldom needed
    private BulkheadOutcome wordOfOthers() {
        BulkheadOutcome said = word;
        while (said == null) {
            Thread.yield();
            said = word;
        }
        return said;
    }
}
