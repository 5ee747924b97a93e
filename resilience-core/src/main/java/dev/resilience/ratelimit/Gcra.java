package dev.resilience.ratelimit;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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
 * <p>Another rate is another object, and the next of this one. This one is closed before its level is carried over, so no permit is
 * taken from it unseen.
 */
final class Gcra extends AtomicLong implements Permits {

    private static final long CLOSED = Long.MAX_VALUE;
    private static final long MAX_WAIT = 1L << 61;
    private static final int UNTIMED_PART = 32;
    private static final int UNTIMED_MAX = 16;
    private static final int FRACTION = 62;

    /** Two beats of the coarse clock. */
    private static final long COARSE = Duration.ofMillis(20).toNanos();

    private final TimeSource time;
    private final long start;
    private final long interval; // in units, and so are the next two
    private final long burst;
    private final long untimed; // what calls may take together without a look at the clock
    private final long unitsOfNano; // below a unit, by 2^-62
    private final double nanosOfUnit;
    private @Nullable Gcra next;

    // The last grant. Each of these only grows, and is right, if not the best, with an older one of the other.
    private final AtomicLong beat = new AtomicLong(-COARSE); // of the coarse clock, in which it can be used
    private final AtomicLong granted = new AtomicLong(); // the state at the time

    Gcra(RateLimitPolicy policy, TimeSource time) {
        this.time = time;
        this.start = time.nanoTime();
        long period = Durations.toNanos(policy.period());
        int k = Long.SIZE - 1 - Long.numberOfLeadingZeros(period / policy.permits());
        this.interval = 1L << k;
        this.burst = policy.capacity() * interval;
        this.untimed = Math.min(UNTIMED_MAX, policy.capacity() / UNTIMED_PART) * interval;
        this.nanosOfUnit = (double) period / policy.permits() / interval;
        BigInteger units = BigInteger.valueOf(policy.permits()).shiftLeft(k + FRACTION);
        this.unitsOfNano = units.divide(BigInteger.valueOf(period)).longValue() + 1;
    }

    @Override
    public long acquire(long maxWaitNanos, boolean mayBlock) {
        long now = untimed == 0 ? 0 : time.coarseNanoTime() - start;
        return untimed > 0 && now == beat.get() && acquireUntimed() ? 0 : acquireTimed(maxWaitNanos, now);
    }

    private boolean acquireUntimed() {
        long last = granted.get() + untimed - interval;
        long before = get();
        while (before <= last && !compareAndSet(before, before + interval)) {
            before = get();
        }
        return before <= last;
    }

    private long acquireTimed(long maxWaitNanos, long coarse) {
        long nanos = time.nanoTime() - start;
        long now = units(nanos);
        while (true) {
            long before = get();
            if (before == CLOSED) {
                return next().acquire(maxWaitNanos, true);
            }
            long after = Math.max(before, earliest(before, now)) + interval;
            long due = after - burst;
            if (due > now && due > units(nanos + Math.min(maxWaitNanos, MAX_WAIT))) {
                return -nanosUntil(due, nanos);
            }
            if (compareAndSet(before, after)) {
                if (coarse != nanos && untimed > 0 && after + untimed <= now + burst) {
                    granted.accumulateAndGet(after, Math::max);
                    beat.accumulateAndGet(coarse, Math::max);
                }
                return due > now ? nanosUntil(due, nanos) : 0;
            }
        }
    }

    /** From when on the next permit counts: as if all that was taken since the clock was read had been taken as late as can be. */
    private long earliest(long before, long now) {
        long since = Math.min(untimed, before - granted.get());
        return since <= 0 ? now : Math.max(now, Math.min(now, units(beat.get() + COARSE)) + since);
    }

    @Override
    public double available() {
        long now = units(time.nanoTime() - start);
        return Math.floorDiv(Math.max(0, burst - Math.max(0, get() - now)), interval);
    }

    @Override
    public synchronized Gcra reconfigure(RateLimitPolicy policy) {
        double taken = (double) Math.max(0, getAndSet(CLOSED) - units(time.nanoTime() - start)) / interval;
        Gcra changed = new Gcra(policy, time);
        changed.set(Math.min(changed.burst, (long) Math.ceil(taken * changed.interval)));
        next = changed;
        return changed;
    }

    /** Waits until it is there. */
    private synchronized Gcra next() {
        return Objects.requireNonNull(next);
    }

    /** A moment, rounded down to whole units. */
    private long units(long nanos) {
        return (Math.multiplyHigh(nanos, unitsOfNano) << (Long.SIZE - FRACTION)) | ((nanos * unitsOfNano) >>> FRACTION);
    }

    /** How long it is until a moment, which is not over: rounded up, so that it is over then. */
    private long nanosUntil(long moment, long now) {
        long nanos = Math.max(1, (long) ((moment - units(now)) * nanosOfUnit) - 2);
        while (units(now + nanos) < moment) {
            nanos++;
        }
        return nanos;
    }
}
