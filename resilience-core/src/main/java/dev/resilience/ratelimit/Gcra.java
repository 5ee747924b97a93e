package dev.resilience.ratelimit;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Permits that are counted in this process by the generic cell rate algorithm (ITU-T I.371, virtual scheduling): the state is the
 * theoretical arrival time alone, the moment at which all permits are back. A permit moves it on by one interval, from now if it has
 * passed; it is not granted while that would lie more than a burst of intervals ahead. A grant is one compare-and-set on one long.
 *
 * <p>An interval, which need not be a whole number of nanoseconds, is {@code 2^k} units, with {@code k} so that a unit is at least one
 * nanosecond and less than two. Moments are rounded down to units and intervals are exact, so no error adds up: in every window of
 * length t at most {@code burst + (t + 2 ns) · permits / period} calls are let in, and a call that comes an interval after the last
 * permit was taken gets the next. By its units the clock is fast by {@code 2^-61} of the time.
 *
 * <p>Another rate is another bucket. The old one is closed before its level is carried over, so no permit is taken from it unseen.
 */
final class Gcra implements Permits {

    private static final long CLOSED = Long.MAX_VALUE;
    private static final long MAX_WAIT = 1L << 61;

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
        long now = time.nanoTime() - start;
        while (true) {
            Bucket current = bucket;
            long units = current.units(now);
            long before = current.get();
            if (before == CLOSED) {
                Thread.onSpinWait();
                continue;
            }
            long after = Math.max(before, units) + current.interval;
            long due = after - current.burst;
            if (due > units && due > current.units(now + Math.min(maxWaitNanos, MAX_WAIT))) {
                return -current.nanosUntil(due, now);
            }
            if (current.compareAndSet(before, after)) {
                return due > units ? current.nanosUntil(due, now) : 0;
            }
        }
    }

    @Override
    public double available() {
        Bucket current = bucket;
        long units = current.units(time.nanoTime() - start);
        return Math.max(0, current.burst - Math.max(0, current.get() - units)) / current.interval;
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
        private final long unitsOfNano; // below a unit, by 2^-62
        private final double nanosOfUnit;

        Bucket(RateLimitPolicy policy) {
            long period = Durations.toNanos(policy.period());
            int k = Long.SIZE - 1 - Long.numberOfLeadingZeros(period / policy.permits());
            interval = 1L << k;
            burst = policy.capacity() * interval;
            nanosOfUnit = (double) period / policy.permits() / interval;
            BigInteger[] ratio = BigInteger.valueOf(policy.permits())
                    .shiftLeft(k + FRACTION)
                    .divideAndRemainder(BigInteger.valueOf(period));
            unitsOfNano = ratio[0].longValue() + ratio[1].signum();
        }

        /** A moment, rounded down to whole units. */
        long units(long nanos) {
            return Math.multiplyHigh(nanos, unitsOfNano) << (Long.SIZE - FRACTION) | nanos * unitsOfNano >>> FRACTION;
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
