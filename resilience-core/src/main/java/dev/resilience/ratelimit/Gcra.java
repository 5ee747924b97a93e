package dev.resilience.ratelimit;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Permits that are counted in this process by the generic cell rate algorithm (ITU-T I.371, virtual scheduling): the state is the
 * theoretical arrival time alone, the moment at which all permits are back. A permit moves it on by one interval, from now if it has
 * passed; it is not granted while that would lie more than a burst of intervals ahead. A grant is one compare-and-set on one long.
 *
 * <p>An interval, which need not be a whole number of nanoseconds, is {@code 2^k} units, with {@code k} so that a unit is at least one
 * nanosecond and less than two. Moments are rounded down to units and intervals are exact, so no error adds up: in every window of
 * length t at most {@code burst + (t + 2 ns) · permits / period} calls are let in, and one that comes an interval after the last
 * permit was taken gets the next. By its units the clock is fast by less than {@code 2^-60} of the time.
 *
 * <p>To read the clock costs more than all the rest. So a call that reads it makes a grant for up to {@value #UNTIMED_MAX} others, a
 * 32nd of the burst at most, that come before the next beat of the coarse clock: these only move the state on. When the clock is read
 * again, they count as if they had come as late as they can have. So the bound above holds, and what is given up is this: while
 * calls come in quick succession and most of the burst is there, up to a 32nd of it may be missing. If the coarse clock is late by
 * more than its beat, because the machine is too busy to keep time, that 32nd may be let in too many. A clock whose coarse time is
 * exact, as {@link dev.resilience.time.ManualTimeSource}, gives up nothing.
 *
 * <p>Another rate is another bucket. The old one is closed before its level is carried over, so no permit is taken from it unseen.
 */
final class Gcra implements Permits {

    private static final long CLOSED = Long.MAX_VALUE;
    private static final long MAX_WAIT = 1L << 61;
    private static final int UNTIMED_PART = 32;
    private static final int UNTIMED_MAX = 16;

    /** Two beats of the coarse clock. */
    private static final long COARSE = Duration.ofMillis(20).toNanos();

    private final TimeSource time;
    private final long start;
    private volatile Bucket bucket;

    Gcra(RateLimitPolicy policy, TimeSource time) {
        this.time = time;
        this.start = time.nanoTime();
        this.bucket = new Bucket(policy);
    }

    @Override
    public long acquire(long maxWaitNanos, boolean mayBlock) {
        Bucket current = bucket;
        long beat = current.untimed == 0 ? 0 : time.coarseNanoTime() - start;
        return current.untimed > 0 && current.acquireUntimed(beat) ? 0 : acquireTimed(maxWaitNanos, beat);
    }

    private long acquireTimed(long maxWaitNanos, long beat) {
        long now = time.nanoTime() - start;
        while (true) {
            Bucket current = bucket;
            long units = current.units(now);
            long before = current.get();
            if (before == CLOSED) {
                awaitChange();
                continue;
            }
            long after = Math.max(before, current.earliest(before, units)) + current.interval;
            long due = after - current.burst;
            if (due > units && due > current.units(now + Math.min(maxWaitNanos, MAX_WAIT))) {
                return -current.nanosUntil(due, now);
            }
            if (current.compareAndSet(before, after)) {
                if (beat != now) {
                    current.grant(beat, after, units);
                }
                return due > units ? current.nanosUntil(due, now) : 0;
            }
        }
    }

    /** Until another bucket is there. */
    private synchronized void awaitChange() {}

    @Override
    public double available() {
        Bucket current = bucket;
        long units = current.units(time.nanoTime() - start);
        return Math.floorDiv(Math.max(0, current.burst - Math.max(0, current.get() - units)), current.interval);
    }

    @Override
    public synchronized void reset() {
        bucket.set(bucket.units(time.nanoTime() - start));
    }

    @Override
    public synchronized void reconfigure(RateLimitPolicy policy) {
        Bucket old = bucket;
        Bucket changed = new Bucket(policy);
        long now = time.nanoTime() - start;
        double taken = (double) Math.max(0, old.getAndSet(CLOSED) - old.units(now)) / old.interval;
        changed.set(changed.units(now) + Math.min(changed.burst, (long) Math.ceil(taken * changed.interval)));
        bucket = changed;
    }

    /** The moment at which all permits are back, in units since the start, and the rate. */
    private static final class Bucket extends AtomicLong {

        private static final int FRACTION = 62;

        final long interval; // in units
        final long burst; // in units
        final long untimed; // what calls may take together without a look at the clock, in units
        private final long unitsOfNano; // below a unit, by 2^-62
        private final double nanosOfUnit;

        // The last grant. Each of these only grows, and is right, if not the best, with an older one of the other.
        private final AtomicLong beat = new AtomicLong(-COARSE); // of the coarse clock, in which it can be used
        private final AtomicLong granted = new AtomicLong(); // the state at the time

        Bucket(RateLimitPolicy policy) {
            long period = Durations.toNanos(policy.period());
            int k = Long.SIZE - 1 - Long.numberOfLeadingZeros(period / policy.permits());
            interval = 1L << k;
            burst = policy.capacity() * interval;
            untimed = Math.min(UNTIMED_MAX, policy.capacity() / UNTIMED_PART) * interval;
            nanosOfUnit = (double) period / policy.permits() / interval;
            BigInteger[] ratio = BigInteger.valueOf(policy.permits())
                    .shiftLeft(k + FRACTION)
                    .divideAndRemainder(BigInteger.valueOf(period));
            unitsOfNano = ratio[0].longValue() + ratio[1].signum();
        }

        boolean acquireUntimed(long now) {
            if (now != beat.get()) {
                return false;
            }
            long last = granted.get() + untimed - interval;
            long before = get();
            while (before <= last && !compareAndSet(before, before + interval)) {
                before = get();
            }
            return before <= last;
        }

        /** From when on the next permit counts: as if all that was taken since the clock was read had been taken as late as can be. */
        long earliest(long before, long now) {
            long since = Math.min(untimed, before - granted.get());
            return since <= 0 ? now : Math.max(now, Math.min(now, units(beat.get() + COARSE)) + since);
        }

        /** If there is so much. Of a clock whose coarse time is exact each beat is one moment, and none is made. */
        void grant(long inBeat, long state, long now) {
            if (untimed > 0 && state + untimed <= now + burst) {
                granted.accumulateAndGet(state, Math::max);
                beat.accumulateAndGet(inBeat, Math::max);
            }
        }

        /** A moment, rounded down to whole units. */
        long units(long nanos) {
            return (Math.multiplyHigh(nanos, unitsOfNano) << (Long.SIZE - FRACTION))
                    | ((nanos * unitsOfNano) >>> FRACTION);
        }

        /** How long it is until a moment, which is not over: rounded up, so that it is over then. */
        long nanosUntil(long moment, long now) {
            long nanos = Math.max(1, (long) ((moment - units(now)) * nanosOfUnit) - 2);
            while (units(now + nanos) < moment) {
                nanos++;
            }
            return nanos;
        }
    }
}
