package dev.resilience.ratelimit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a shared limit that one process gives out while the store is down: the n-th part of rate and burst, by the generic cell
 * rate algorithm. It begins with no permit, because the other processes may have just used the burst.
 *
 * <p>What the store has to be told then is counted by the same algorithm, as if all permits had been there in the beginning. Its clock
 * stands at the last moment at which the store was seen to be down: since then others may have taken from it what comes back. Lock-free.
 */
final class OutageShare {

    private final SharedLimit limit;
    private final AtomicLong back; // when all permits of the part are
    private final AtomicLong debtBack;
    private volatile double partInterval = 1;

    OutageShare(SharedLimit limit) {
        this.limit = limit;
        this.back = new AtomicLong(limit.time.nanoTime());
        this.debtBack = new AtomicLong(limit.failedAt);
    }

    /**
     * As {@link Permits#acquire}.
     *
     * @param interval in how many nanoseconds a permit of the whole comes back
     * @param burst in how many all do, and those of the part too, which are fewer and come more slowly
     */
    long acquire(double interval, double burst, long now, long maxWait) {
        double part = interval * limit.nodes;
        partInterval = part;
        long whole = (long) Math.max(part, burst);
        long first = limit.state.since() + whole;
        while (true) {
            long before = back.get();
            long after = now + Math.max(0, Math.max(before - now, first - now)) + (long) part;
            long wait = after - now - whole;
            if (wait > maxWait) {
                return -wait;
            }
            if (back.compareAndSet(before, after)) {
                long failed = limit.failedAt;
                debtBack.updateAndGet(then -> failed + Math.max(0, then - failed) + (long) part);
                return Math.max(0, wait);
            }
        }
    }

    /** How many permits the store has to be told of. */
    int debt() {
        return (int) Math.ceil(Math.max(0, debtBack.get() - limit.failedAt) / partInterval);
    }

    /** The store has counted so many. */
    void paid(int permits) {
        debtBack.addAndGet((long) (-permits * partInterval));
    }
}
