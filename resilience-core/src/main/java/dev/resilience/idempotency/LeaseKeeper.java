package dev.resilience.idempotency;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Beats every third of a lease until the longest lease that the policy allows is over, and has the lease renewed at each
 * beat. One beat at a time; a beat that its renewal outlasts is left out.
 *
 * <p>A transaction that must not be disturbed by a renewal waits for the one that is under way, but no longer than for
 * one beat: the renewal may be waiting for the very connection that the transaction has, and then it comes after the
 * transaction has locked the record, and disturbs nothing.
 */
final class LeaseKeeper {

    private static final Duration SOON = Duration.ofMillis(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final TimeSource time;
    private final Duration interval;
    private final Duration maxLease;
    private final Duration fullLease;
    private final Predicate<Duration> renewal;
    private final long start;

    private final AtomicBoolean renewing = new AtomicBoolean();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;
    private volatile int leftOut;
    private volatile @Nullable Scheduled next;

    /**
     * @param renewal renews a lease, unless a transaction has the record locked: then it returns false, and the beat is left
     *     out. Does not throw
     */
    LeaseKeeper(TimeSource time, IdempotencyPolicy policy, Predicate<Duration> renewal) {
        this.time = time;
        this.interval = Durations.max(Duration.ofMillis(1), policy.lease().dividedBy(3));
        this.fullLease = policy.lease();
        this.maxLease = policy.maxLease();
        this.renewal = renewal;
        this.start = time.nanoTime();
    }

    void begin() {
        schedule(interval);
    }

    /** No renewal begins from now on. */
    void end() {
        ended = true;
        Scheduled beat = next;
        if (beat != null) {
            beat.cancel();
        }
    }

    /**
     * A transaction no longer has the record locked. If more than one beat was left out meanwhile, the lease may end before
     * the next one, so that one comes soon. Otherwise the next one is early enough: one that comes soon may change the record
     * after the next attempt has taken its snapshot.
     */
    void catchUp() {
        if (leftOut > 1) {
            schedule(SOON);
        }
    }

    /** How long until the next renewal. */
    Duration interval() {
        return interval;
    }

    /** Whether there is no lease left to be had. */
    boolean isSpent() {
        Duration left = left();
        return left.isNegative() || left.isZero();
    }

    /** Waits until no renewal is under way, for a while; the caller sees to it that none begins. */
    void awaitRenewal() {
        long began = time.nanoTime();
        Duration atMost = Durations.min(LONGEST_WAIT, interval);
        boolean interrupted = false;
        waiting.add(Thread.currentThread());
        try {
            Duration left = atMost;
            while (renewing.get() && !left.isNegative() && !left.isZero()) {
                time.park(this, left);
                interrupted |= Thread.interrupted(); // with the flag set the thread would not be parked
                left = atMost.minusNanos(time.nanoTime() - began);
            }
        } finally {
            waiting.remove(Thread.currentThread());
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void beat() {
        if (ended || isSpent()) {
            return;
        }
        schedule(interval);
        if (!renewing.compareAndSet(false, true)) {
            return;
        }
        try {
            if (renew()) {
                leftOut = 0;
                return;
            }
            int missed = leftOut + 1;
            leftOut = missed;
            if (missed > 1 && renew()) {
                leftOut = 0; // the transaction ended before it could see that this beat is left out
            }
        } finally {
            renewing.set(false);
            waiting.forEach(LockSupport::unpark);
        }
    }

    private boolean renew() {
        return renewal.test(Durations.min(fullLease, left()));
    }

    private Duration left() {
        return maxLease.minusNanos(time.nanoTime() - start);
    }

    private void schedule(Duration delay) {
        Scheduled before = next;
        if (before != null) {
            before.cancel();
        }
        Scheduled beat = time.scheduleUrgent(delay, this::beat);
        next = beat;
        if (ended) {
            beat.cancel();
        }
    }
}
