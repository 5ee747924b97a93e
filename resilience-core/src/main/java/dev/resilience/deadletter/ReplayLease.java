package dev.resilience.deadletter;

import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Renews a claim while its replay runs: a slow call is not taken for an abandoned one. */
final class ReplayLease {

    private static final Duration INTERVAL = ReplayTimes.LEASE.dividedBy(3);

    private final DeadLetterStore store;
    private final ReplayClaim claim;
    private final TimeSource time;
    private final DeadLetterLog log;
    private final long start;
    private volatile boolean ended;
    private volatile @Nullable Scheduled next;

    ReplayLease(DeadLetterStore store, ReplayClaim claim, TimeSource time, DeadLetterLog log) {
        this.store = store;
        this.claim = claim;
        this.time = time;
        this.log = log;
        this.start = time.nanoTime();
    }

    void start() {
        Scheduled renewal = time.scheduleUrgent(INTERVAL, this::renew);
        next = renewal;
        if (ended) {
            renewal.cancel();
        }
    }

    /** No renewal begins from now on. */
    void end() {
        ended = true;
        Scheduled renewal = next;
        if (renewal != null) {
            renewal.cancel();
        }
    }

    private void renew() {
        if (ended || time.nanoTime() - start > ReplayTimes.MAX_LEASE.toNanos()) {
            return;
        }
        try {
            if (!store.renew(claim, ReplayTimes.LEASE)) {
                return; // told when the replay ends
            }
        } catch (RuntimeException failed) {
            log.storeFailed("renew a lease", failed);
        }
        start();
    }
}
