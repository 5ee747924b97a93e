package dev.resilience.idempotency;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has a lease renewed every third of it, one renewal at a time, until it is ended or the longest lease that the policy
 * allows is over. Not for applications. Safe for use by many threads.
 */
public final class LeaseKeeper {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

    private final TimeSource time;
    private final Duration interval;
    private final Duration lease;
    private final Duration maxLease;
    private final long start;

    private volatile boolean ended;
    private volatile @Nullable Scheduled next;

    public LeaseKeeper(TimeSource time, Duration lease, Duration maxLease) {
        this.time = time;
        this.lease = lease;
        this.interval = Durations.max(SHORTEST_PAUSE, lease.dividedBy(3));
        this.maxLease = maxLease;
        this.start = time.nanoTime();
    }

    /**
     * The lease has begun.
     *
     * @param renewal renews the lease for the time that it is given. Does not throw
     */
    public void begin(Consumer<Duration> renewal) {
        schedule(interval, renewal);
    }

    /** No renewal begins from now on. */
    public void end() {
        ended = true;
        if (next != null) {
            next.cancel();
        }
    }

    /** How long until the next renewal. */
    Duration interval() {
        return interval;
    }

    /** Whether the longest lease is over. */
    boolean isSpent() {
        return left().compareTo(Duration.ZERO) <= 0;
    }

    private void beat(Consumer<Duration> renewal) {
        if (!ended && !isSpent()) {
            long began = time.nanoTime();
            renewal.accept(Durations.min(lease, left()));
            schedule(Durations.max(SHORTEST_PAUSE, interval.minusNanos(time.nanoTime() - began)), renewal);
        }
    }

    private Duration left() {
        return maxLease.minusNanos(time.nanoTime() - start);
    }

    private void schedule(Duration delay, Consumer<Duration> renewal) {
        Scheduled beat = time.scheduleUrgent(delay, () -> beat(renewal));
        next = beat;
        if (ended) {
            beat.cancel();
        }
    }
}
