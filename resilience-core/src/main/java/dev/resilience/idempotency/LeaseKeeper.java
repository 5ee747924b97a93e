package dev.resilience.idempotency;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Renews a lease every third of it while the call runs, until the longest lease that the policy allows. */
final class LeaseKeeper {

    private final IdempotencyLog log;
    private final IdempotencyStore store;
    private final TimeSource time;
    private final IdempotencyPolicy policy;
    private final Ownership ownership;
    private final long start;
    private final Lock renewing = new ReentrantLock();
    private volatile boolean ended;
    private volatile boolean paused;
    private volatile Scheduled next;

    LeaseKeeper(Idempotency idempotency, Ownership ownership) {
        this.log = idempotency.log();
        this.store = idempotency.store();
        this.time = idempotency.time();
        this.policy = idempotency.policy();
        this.ownership = ownership;
        this.start = time.nanoTime();
        this.next = scheduleNext();
    }

    /**
     * The call has ended: no renewal begins from now on. One that is under way is not waited for; it comes too late to
     * change anything, for only a record that is still in progress, and still this owner's, can be renewed.
     */
    void end() {
        ended = true;
        next.cancel();
    }

    /** A transaction has the record from now on; a renewal would wait for it. */
    void pause() {
        paused = true;
        next.cancel();
    }

    /** A transaction is about to see the record as it is: a renewal that is under way is waited for. */
    void hold() {
        renewing.lock();
        try {
            pause();
        } finally {
            renewing.unlock();
        }
    }

    /** The record is to be had again. */
    void resume() {
        if (paused) {
            paused = false;
            next = time.scheduleUrgent(Duration.ZERO, this::renew);
        }
    }

    private void renew() {
        Duration left = policy.maxLease().minusNanos(time.nanoTime() - start);
        if (left.isNegative() || left.isZero() || !renewFor(Durations.min(policy.lease(), left))) {
            return;
        }
        next = scheduleNext();
        if (ended || paused) {
            next.cancel();
        }
    }

    /** False if there is no use in trying again. */
    private boolean renewFor(Duration lease) {
        renewing.lock();
        try {
            if (ended || paused) {
                return false;
            }
            boolean renewed = store.renew(ownership, lease);
            if (!renewed && !ended && !paused) {
                log.leaseLost();
            }
            return renewed;
        } catch (RuntimeException unavailable) {
            log.renewalFailed(interval(), unavailable);
            return true;
        } finally {
            renewing.unlock();
        }
    }

    private Scheduled scheduleNext() {
        return time.scheduleUrgent(interval(), this::renew);
    }

    private Duration interval() {
        return Durations.max(Duration.ofMillis(1), policy.lease().dividedBy(3));
    }
}
