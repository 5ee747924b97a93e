package dev.resilience.ratelimit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a shared limit that one process gives out while the store is down: the n-th part of rate and burst, by the generic cell
 * rate algorithm. It begins with no permit, because the others may have just used the burst. What it gave out is also counted as if it
 * had begun with all: that is what the store has to be told. Lock-free.
 */
final class OutageShare {

    /** The moment at which all permits are back. */
    private final AtomicLong back;

    /** The same, had all been there in the beginning. */
    private final AtomicLong debtBack;

    private volatile double interval = 1;

    OutageShare(long now) {
        this.back = new AtomicLong(now);
        this.debtBack = new AtomicLong(now);
    }

    /**
     * As {@link Permits#acquire}.
     *
     * @param since when the store went down
     * @param nanos in how many nanoseconds a permit of the part comes back
     * @param burst in how many all do: as long as in the whole, because there are fewer, and they come more slowly
     */
    long acquire(long since, double nanos, double burst, long now, long maxWait) {
        interval = nanos;
        long whole = (long) Math.max(nanos, burst);
        while (true) {
            long before = back.get();
            long left = Math.max(0, Math.max(before - now, since + whole - now));
            long wait = left + (long) nanos - whole;
            if (wait > maxWait) {
                return -wait;
            }
            if (back.compareAndSet(before, now + left + (long) nanos)) {
                debtBack.updateAndGet(then -> now + Math.max(0, then - now) + (long) nanos);
                return Math.max(0, wait);
            }
        }
    }

    /** How many permits are given out and would not be back yet. */
    int debt(long now) {
        return (int) Math.ceil(Math.max(0, debtBack.get() - now) / interval);
    }

    /** The store has counted so many. */
    void paid(int permits) {
        debtBack.addAndGet((long) (-permits * interval));
    }
}
