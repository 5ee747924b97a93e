package dev.resilience.bulkhead;

import dev.resilience.context.Deadline;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.AsyncWait;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a permit, runs the rest of the pipeline here or in the pool, and releases the permit however that ended. A blocking
 * caller waits for its permit on its own thread in either case, an asynchronous call without one: a call in the queue needs
 * no thread of the pool.
 */
final class BulkheadStep extends AsyncStep {

    private final Bulkhead bulkhead;
    private final PermitQueue permits;

    BulkheadStep(Bulkhead bulkhead, Step next) {
        super(next, bulkhead.carrier);
        this.bulkhead = bulkhead;
        this.permits = bulkhead.permits;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        if (!permits.tryAcquire()) {
            new BlockingWaiter().awaitPermit(); // throws without a permit
        }
        if (bulkhead.pool() != null) {
            return callElsewhere(invocation); // which has the permit when it enters
        }
        try {
            return next.call(invocation);
        } finally {
            permits.release();
        }
    }

    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.isBlocking()) {
            return moveTo(bulkhead.threads, call);
        }
        Executor pool = bulkhead.pool();
        if (!permits.tryAcquire()) {
            return call.waitFor(new Waiting(call, pool));
        }
        return pool == null ? Next.INWARD : moveTo(pool, call);
    }

    /** The call has a permit, and runs on other threads than its caller's from now on. */
    private Next moveTo(Executor threads, AsyncCall call) {
        call.hold(call);
        bulkhead.moved.add(call);
        return call.continueOn(threads);
    }

    @Override
    protected Next exit(AsyncCall call) {
        permits.release();
        if (call.held() != null) {
            bulkhead.moved.remove(call);
        }
        return Next.OUTWARD;
    }

    /**
     * An asynchronous call in the queue. It belongs to the thread that takes it out of there: the one that grants it a permit,
     * its timer's, or the one that stops it.
     */
    private final class Waiting extends AsyncWait implements PermitQueue.Waiter, Runnable {

        private final @Nullable Executor pool;
        private final Deadline.Timeout timeout = bulkhead.queueTimeout();
        private final long start = bulkhead.time.nanoTime();
        private volatile @Nullable Scheduled timer;

        Waiting(AsyncCall call, @Nullable Executor pool) {
            super(call);
            this.pool = pool;
        }

        @Override
        protected void start() {
            if (!permits.enqueue(this)) {
                throw bulkhead.reports.full(bulkhead.policy());
            }
            if (isWaiting()) {
                timer = bulkhead.end(timeout.timeout(), this);
                if (!isWaiting()) {
                    cancelTimer();
                }
            }
        }

        @Override
        public boolean runsInPool() {
            return pool != null;
        }

        @Override
        public void permitGranted() {
            if (!claim()) { // it could not begin to wait
                permits.release();
                return;
            }
            cancelTimer();
            bulkhead.reports.waited(BulkheadOutcome.ACCEPTED, start);
            // not on the thread that granted the permit, which has work of its own, and not behind slow code of others
            resume(moveTo(pool == null ? bulkhead::runElsewhere : pool, call));
        }

        /** The time is over. */
        @Override
        public void run() {
            if (withdraw()) {
                bulkhead.reports.waited(BulkheadOutcome.TIMED_OUT, start);
                fail(bulkhead.reports.timedOut(timeout));
            }
        }

        @Override
        public void rejected() {
            if (claim()) {
                cancelTimer();
                bulkhead.end(Duration.ZERO, () -> {
                    bulkhead.reports.waited(BulkheadOutcome.REJECTED, start);
                    fail(bulkhead.reports.rejected(BulkheadReports.STOPPED));
                });
            }
        }

        /** The thread that takes it out of the queue has the call. */
        @Override
        protected boolean withdraw() {
            return permits.withdraw(this) && claim();
        }

        @Override
        protected void stopped() {
            cancelTimer();
            bulkhead.reports.waited(BulkheadOutcome.REJECTED, start);
            bulkhead.reports.leftWithoutPermit();
        }

        private void cancelTimer() {
            if (timer != null) {
                timer.cancel();
            }
        }
    }

    /**
     * A blocking caller in the queue: parked until it is granted a permit, has waited too long, is interrupted or rejected.
     */
    private final class BlockingWaiter implements PermitQueue.Waiter {

        private final Deadline.Timeout timeout = bulkhead.queueTimeout();
        private final Thread thread = Thread.currentThread();
        private volatile @Nullable BulkheadOutcome decision; // of the thread that took it out of the queue

        @Override
        public boolean runsInPool() {
            return bulkhead.pool() != null;
        }

        @Override
        public void permitGranted() {
            decision = BulkheadOutcome.ACCEPTED;
            LockSupport.unpark(thread);
        }

        @Override
        public void rejected() {
            decision = BulkheadOutcome.REJECTED;
            LockSupport.unpark(thread);
        }

        /**
         * Returns with a permit, or throws {@link dev.resilience.exception.BulkheadFullException} without one, or {@link
         * dev.resilience.exception.DeadlineExceededException} where the deadline ended the wait.
         */
        void awaitPermit() {
            long start = bulkhead.time.nanoTime();
            if (!permits.enqueue(this)) {
                throw bulkhead.reports.full(bulkhead.policy());
            }
            BulkheadOutcome outcome = park(start);
            bulkhead.reports.waited(outcome, start);
            if (outcome == BulkheadOutcome.REJECTED) {
                String why = decision == null ? BulkheadReports.INTERRUPTED : BulkheadReports.STOPPED;
                throw bulkhead.reports.rejected(why);
            }
            if (outcome == BulkheadOutcome.TIMED_OUT) {
                throw bulkhead.reports.timedOut(timeout);
            }
        }

        private BulkheadOutcome park(long start) {
            long timeoutNanos = Durations.toNanos(timeout.timeout());
            BulkheadOutcome decided = decision;
            while (decided == null) {
                long left = timeoutNanos - (bulkhead.time.nanoTime() - start);
                boolean interrupted = thread.isInterrupted(); // stays set, for the caller to see
                if ((interrupted || left <= 0) && permits.withdraw(this)) {
                    return interrupted ? BulkheadOutcome.REJECTED : BulkheadOutcome.TIMED_OUT;
                }
                // where another thread has taken it out of the queue, its decision is on the way
                bulkhead.time.park(bulkhead, Duration.ofNanos(Math.max(left, 1)));
                decided = decision;
            }
            return decided;
        }
    }
}
