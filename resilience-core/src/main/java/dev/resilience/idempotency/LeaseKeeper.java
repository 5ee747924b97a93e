package dev.resilience.idempotency;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Renews a lease every third of it while the call runs, until the longest lease that the policy allows. */
final class LeaseKeeper {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private final IdempotencyStore store;
    private final TimeSource time;
    private final IdempotencyPolicy policy;
    private final Ownership ownership;
    private final long start;
    private boolean ended;
    private Scheduled next;

    LeaseKeeper(Idempotency idempotency, Ownership ownership) {
        this.store = idempotency.store();
        this.time = idempotency.time();
        this.policy = idempotency.policy();
        this.ownership = ownership;
        this.start = time.nanoTime();
        this.next = scheduleNext();
    }

    /** The call has ended: no renewal follows. */
    synchronized void end() {
        ended = true;
        next.cancel();
    }

    private synchronized void renew() {
        Duration left = policy.maxLease().minusNanos(time.nanoTime() - start);
        if (ended || left.isNegative() || left.isZero() || !renewFor(Durations.min(policy.lease(), left))) {
            return;
        }
        next = scheduleNext();
    }

    /** False if there is no use in trying again. */
    private boolean renewFor(Duration lease) {
        try {
            return store.renew(ownership, lease);
        } catch (RuntimeException unavailable) {
            log.warn("A lease could not be renewed; the next try follows in {}", interval(), unavailable);
            return true;
        }
    }

    private Scheduled scheduleNext() {
        return time.schedule(interval(), this::renew);
    }

    private Duration interval() {
        return Durations.max(Duration.ofMillis(1), policy.lease().dividedBy(3));
    }
}
