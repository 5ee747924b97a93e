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

    /** What a call holds that has left its caller's thread. */
    private static final Object PERMIT = new Object();

    /** That of a call that is let through without one. */
    private static final Object NO_PERMIT = new Object();

    private final Bulkhead bulkhead;
    private final PermitQueue permits;

    BulkheadStep(Bulkhead bulkhead, Step next) {
        super(next, bulkhead.environment.carrier());
        this.bulkhead = bulkhead;
        this.permits = bulkhead.permits;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        if (!permits.tryAcquire() && !new BlockingWaiter().awaitPermit()) {
            return next.call(invocation); // its caller waits anyway
        }
        if (bulkhead.pool() != null) {
            return callElsewhere(invocation); // which has the permit when it enters
        }
        AdaptiveLimit adaptive = bulkhead.measuring();
        if (adaptive != null) {
            return callMeasured(adaptive, invocation);
        }
        try {
            return next.call(invocation);
        } finally {
            permits.release();
        }
    }

    private @Nullable Object callMeasured(AdaptiveLimit adaptive, Invocation invocation) throws Throwable {
        long begin = adaptive.begin();
        Throwable failure = null;
        try {
            return next.call(invocation);
        } catch (Throwable failed) {
            failure = failed;
            throw failed;
        } finally {
            permits.release();
            adaptive.ended(begin, failure);
        }
    }

    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.isBlocking()) {
            return moveTo(bulkhead.threads, call, PERMIT);
        }
        Executor pool = bulkhead.pool();
        if (!permits.tryAcquire()) {
            return call.waitFor(new Waiting(call, pool));
        }
        if (pool != null) {
            return moveTo(pool, call, PERMIT);
        }
        if (bulkhead.measuring() != null) {
            call.hold(permit());
        }
        return Next.INWARD;
    }

    /** What a call holds that has its permit now and may leave its thread. */
    private Object permit() {
        AdaptiveLimit adaptive = bulkhead.measuring();
        return adaptive == null ? PERMIT : new MeasuredPermit(adaptive, adaptive.begin());
    }

    /** That of a call that is measured from when it got it. */
    private record MeasuredPermit(AdaptiveLimit limit, long begin) {}

    /** The call runs on other threads than its caller's from now on, where it can be stopped. */
    private Next moveTo(Executor threads, AsyncCall call, Object held) {
        call.hold(held);
        bulkhead.moved.add(call);
        return call.continueOn(threads);
    }

    @Override
    protected Next exit(AsyncCall call) {
        Object held = call.held();
        if (held != NO_PERMIT) {
            permits.release();
        }
        if (held instanceof MeasuredPermit measured) {
            measured.limit.ended(measured.begin, call.failure());
        }
        if (held != null) {
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
        private final long start = bulkhead.environment.time().nanoTime();
        private final long grantedBefore = permits.acquisitions();
        private volatile @Nullable Scheduled timer;

        Waiting(AsyncCall call, @Nullable Executor pool) {
            super(call);
            this.pool = pool;
        }

        @Override
        protected void start() {
            bulkhead.limitReached();
            if (!permits.enqueue(this)) {
                if (!bulkhead.letsThrough()) {
                    throw bulkhead.reports.full();
                }
                boolean isMine = claim();
                if (isMine && pool == null) { // here, as if there were a permit
                    call.hold(NO_PERMIT);
                    resume(Next.INWARD);
                } else if (isMine) {
                    goOn(NO_PERMIT);
                }
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
            call.report(() -> bulkhead.reports.served(start, grantedBefore));
            goOn(pool == null ? permit() : PERMIT);
        }

        /** Not on the thread that ends the wait, which has work of its own, and not behind slow code of others. */
        private void goOn(Object held) {
            resume(moveTo(pool == null ? bulkhead::runElsewhere : pool, call, held));
        }

        /** The time is over. */
        @Override
        public void run() {
            if (!withdraw()) {
                return;
            }
            if (!timeout.byDeadline() && bulkhead.letsThrough()) {
                call.report(() -> bulkhead.reports.waited(BulkheadOutcome.WOULD_REJECT, start));
                goOn(NO_PERMIT);
            } else {
                call.report(() -> bulkhead.reports.waited(BulkheadOutcome.TIMED_OUT, start));
                fail(call.report(() -> bulkhead.reports.timedOut(timeout)));
            }
        }

        @Override
        public void rejected() {
            if (claim()) {
                cancelTimer();
                bulkhead.end(Duration.ZERO, () -> {
                    call.report(() -> bulkhead.reports.waited(BulkheadOutcome.REJECTED, start));
                    fail(call.report(() -> bulkhead.reports.rejected(BulkheadReports.STOPPED)));
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
            call.report(() -> bulkhead.reports.waited(BulkheadOutcome.REJECTED, start));
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
        private final long grantedBefore = permits.acquisitions();
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
         * Returns with a permit, or {@code false} for a call that is let through, or throws {@link dev.resilience.exception.BulkheadFullException} without one, or {@link
         * dev.resilience.exception.DeadlineExceededException} where the deadline ended the wait.
         */
        boolean awaitPermit() {
            bulkhead.limitReached();
            long start = bulkhead.environment.time().nanoTime();
            if (!permits.enqueue(this)) {
                if (bulkhead.letsThrough()) {
                    return false;
                }
                throw bulkhead.reports.full();
            }
            BulkheadOutcome outcome = park(start);
            if (outcome == BulkheadOutcome.TIMED_OUT && !timeout.byDeadline() && bulkhead.letsThrough()) {
                outcome = BulkheadOutcome.WOULD_REJECT;
            }
            if (outcome == BulkheadOutcome.ACCEPTED) {
                bulkhead.reports.served(start, grantedBefore);
                return true;
            }
            bulkhead.reports.waited(outcome, start);
            if (outcome == BulkheadOutcome.REJECTED) {
                String why = decision == null ? BulkheadReports.INTERRUPTED : BulkheadReports.STOPPED;
                throw bulkhead.reports.rejected(why);
            }
            if (outcome == BulkheadOutcome.TIMED_OUT) {
                throw bulkhead.reports.timedOut(timeout);
            }
            return false;
        }

        private BulkheadOutcome park(long start) {
            long timeoutNanos = Durations.toNanos(timeout.timeout());
            BulkheadOutcome decided = decision;
            while (decided == null) {
                long left = timeoutNanos - (bulkhead.environment.time().nanoTime() - start);
                boolean interrupted = thread.isInterrupted(); // stays set, for the caller to see
                if ((interrupted || left <= 0) && permits.withdraw(this)) {
                    return interrupted ? BulkheadOutcome.REJECTED : BulkheadOutcome.TIMED_OUT;
                }
                // where another thread has taken it out of the queue, its decision is on the way
                bulkhead.environment.time().park(bulkhead, Duration.ofNanos(Math.max(left, 1)));
                decided = decision;
            }
            return decided;
        }
    }
}
