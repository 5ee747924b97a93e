package dev.resilience.bulkhead;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.time.TimeSource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Measures the calls that hold a permit and lets {@link LimitSearch} move the limit. Calls are measured in windows. A call
 * that begins and ends in one window adds its duration to it; one that began before saw another limit and adds nothing. The
 * call that completes a window makes the next one, by one compare-and-set, so there is no thread and no lock here. A window
 * whose calls hang is ended by a call that finds no permit: one was not found before either, and in the time that calls have
 * to end there ended fewer of them than there are permits. A window that is to have a higher limit than the one before rises to
 * it, call by call.
 *
 * <p>A call that returned adds the logarithm of its duration: queueing shows in the many fast calls, and few slow ones hide
 * nothing. A failure that took longer than calls do is a sign of overload; a faster or a permanent one says nothing but that
 * calls do not hang, and a cancelled call not even that if it took long.
 *
 * <p>Safe for use by many threads. A call that ends between two windows may be measured in neither.
 */
final class AdaptiveLimit {

    /** Samples of a window: their number in the upper bits, the sum of their logarithms, times this, in the lower ones. */
    private static final double SCALE = 1 << 10;

    private static final int SUM_BITS = 40;

    /** So many calls that have returned or find no permit raise the limit by one, up to where it is to be. */
    private static final int CALLS_OF_A_RAISE = 4;

    private static final AtomicReferenceFieldUpdater<AdaptiveLimit, Window> WINDOW =
            AtomicReferenceFieldUpdater.newUpdater(AdaptiveLimit.class, Window.class, "window");

    private final TimeSource time;
    private final FaultClassification faults;
    private final Runnable changed;
    private volatile Window window;

    /** @param changed called when the limit is another one, by the call that completed a window or found no permit */
    AdaptiveLimit(LimitSearch search, TimeSource time, FaultClassification faults, Runnable changed) {
        this.time = time;
        this.faults = faults;
        this.changed = changed;
        this.window = new Window(search, search.inForce(), time.nanoTime());
    }

    /** Calls that may run at once now. */
    int limit() {
        return window.limit;
    }

    LimitSearch search() {
        return window.search;
    }

    /** When a call got its permit. */
    long begin() {
        return time.nanoTime();
    }

    /** A call has given its permit back. */
    void ended(long begin, @Nullable Throwable failure) {
        Window current = window;
        long now = time.nanoTime();
        boolean isMeasured = begin - current.start >= 0;
        double duration = Math.log((double) Math.max(1, now - begin));
        if (failure != null && current.search.isSlow(duration) && !isPermanent(failure)) {
            if (!isMeasured || isCancellation(failure)) {
                return;
            }
            current.failures.increment();
        } else if (failure != null || !isMeasured) {
            current.others.increment();
            return;
        } else {
            current.samples.addAndGet((1L << SUM_BITS) + (long) (duration * SCALE));
        }
        if (current.returned() + current.failures.sum() >= current.needed) {
            finish(current, now, false);
        }
    }

    /** A call has found no permit. */
    void reached() {
        Window current = window;
        long now = time.nanoTime();
        if (current.hangs(now)) {
            finish(current, now, true);
        }
        current.blocked.increment();
        if (current.limit == current.search.inForce()) {
            current.isReached = true;
        } else if (current.rises()) {
            changed.run();
        }
    }

    private void finish(Window ended, long now, boolean hangs) {
        Window next = new Window(ended.result(hangs), ended.limit, now);
        if (WINDOW.compareAndSet(this, ended, next) && next.limit != ended.limit) {
            changed.run();
        }
    }

    private boolean isPermanent(Throwable failure) {
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES) == Fault.PERMANENT;
    }

    private static boolean isCancellation(Throwable failure) {
        return failure instanceof CancellationException || failure instanceof InterruptedException;
    }

    /** What is measured while one limit is in force, or rises to where it is to be. */
    private static final class Window {

        final LimitSearch search;
        final int before;
        final long start;
        final long needed;
        final double patience;
        final AtomicLong samples = new AtomicLong();
        final LongAdder failures = new LongAdder();
        final LongAdder others = new LongAdder(); // calls that ended and say nothing else
        final LongAdder blocked = new LongAdder();

        volatile int limit;

        /** Whether a call found no permit when the limit was where it is to be. */
        volatile boolean isReached;

        /** When it was looked last whether calls end, and how many had by then. */
        final AtomicLong seenAt;

        volatile long seen;

        /** @param before the limit of the window before this one */
        Window(LimitSearch search, int before, long start) {
            this.search = search;
            this.before = before;
            this.limit = Math.min(before, search.inForce());
            this.start = start;
            this.needed = search.needed();
            this.patience = search.patience();
            this.seenAt = new AtomicLong(start);
        }

        /** A raise is spread over calls: those that begin at one moment would meet in the callee's queue. */
        boolean rises() {
            long risen = before + (blocked.sum() + returned()) / CALLS_OF_A_RAISE;
            int to = (int) Math.min(search.inForce(), risen);
            boolean isHigher = to > limit;
            if (isHigher) {
                limit = to;
            }
            return isHigher;
        }

        long returned() {
            return samples.get() >>> SUM_BITS;
        }

        /** Whether no permit was free at the last look, and too few calls have ended since. The first one only looks. */
        boolean hangs(long now) {
            boolean isFirst = !isReached; // by now: others may reach it meanwhile
            long last = seenAt.get();
            if ((!isFirst && now - last <= patience) || !seenAt.compareAndSet(last, now)) {
                return false;
            }
            long before = seen;
            seen = returned() + others.sum();
            return !isFirst && search.hang(seen - before, seen);
        }

        /** A result of what was measured. Saturated: the limit, not the number of callers, bounded what ran. */
        LimitSearch result(boolean hangs) {
            long packed = samples.get();
            long count = packed >>> SUM_BITS;
            double mean = (packed & ((1L << SUM_BITS) - 1)) / SCALE / count;
            long failed = failures.sum();
            boolean isSaturated = blocked.sum() * 15 > count + failed; // one call in fifteen found no permit
            return search.next(new LimitSearch.Measured(count, mean, failed, isReached, isSaturated, hangs));
        }
    }
}
