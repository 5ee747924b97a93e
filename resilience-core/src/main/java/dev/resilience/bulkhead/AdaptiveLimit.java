package dev.resilience.bulkhead;

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
 * whose calls hang is ended by a call that finds no permit.
 *
 * <p>A call that returned adds the logarithm of its duration: queueing shows in the many fast calls, and few slow ones hide
 * nothing. A failure that took longer than calls do is a sign of overload; a faster one says nothing, neither does a
 * cancelled call.
 *
 * <p>Safe for use by many threads. A call that ends between two windows may be measured in neither.
 */
final class AdaptiveLimit {

    /** Samples of a window: their number in the upper bits, the sum of their logarithms, times this, in the lower ones. */
    private static final double SCALE = 1 << 10;

    private static final int SUM_BITS = 40;

    private static final AtomicReferenceFieldUpdater<AdaptiveLimit, Window> WINDOW =
            AtomicReferenceFieldUpdater.newUpdater(AdaptiveLimit.class, Window.class, "window");

    private final TimeSource time;
    private final Runnable changed;
    private volatile Window window;

    /** @param changed called when the limit is another one, by the call that completed a window */
    AdaptiveLimit(LimitSearch search, TimeSource time, Runnable changed) {
        this.time = time;
        this.changed = changed;
        this.window = new Window(search, time.nanoTime());
    }

    /** Calls that may run at once now. */
    int limit() {
        return search().inForce();
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
        if (begin - current.start < 0 || isCancellation(failure)) {
            return;
        }
        double duration = Math.log((double) Math.max(1, now - begin));
        long packed;
        if (failure == null) {
            packed = current.samples.addAndGet((1L << SUM_BITS) + (long) (duration * SCALE));
        } else if (current.search.isSlow(duration)) {
            current.failures.increment();
            packed = current.samples.get();
        } else {
            return;
        }
        long ended = (packed >>> SUM_BITS) + current.failures.sum();
        if (ended >= current.needed || (current.isOver(now) && !current.isSaturated())) {
            finish(current, now);
        }
    }

    /** A call has found no permit. */
    void reached() {
        Window current = window;
        current.blocked.increment();
        long now = time.nanoTime();
        if (current.isOver(now)) {
            finish(current, now);
        }
    }

    private void finish(Window ended, long now) {
        Window next = new Window(ended.result(now), now);
        if (WINDOW.compareAndSet(this, ended, next) && next.search.inForce() != ended.search.inForce()) {
            changed.run();
        }
    }

    private static boolean isCancellation(@Nullable Throwable failure) {
        return failure instanceof CancellationException || failure instanceof InterruptedException;
    }

    /** What is measured while one limit is in force. */
    private static final class Window {

        final LimitSearch search;
        final long start;
        final long needed;
        final double patience;
        final AtomicLong samples = new AtomicLong();
        final LongAdder failures = new LongAdder();
        final LongAdder blocked = new LongAdder();

        Window(LimitSearch search, long start) {
            this.search = search;
            this.start = start;
            this.needed = search.needed();
            this.patience = search.patience();
        }

        /** Whether far fewer calls have ended than should have. */
        boolean isOver(long now) {
            return now - start > patience;
        }

        /** Whether the limit, and not the number of callers, bounded what ran: one call in fifteen found no permit. */
        boolean isSaturated() {
            return blocked.sum() * 15 > count();
        }

        private long count() {
            return samples.get() >>> SUM_BITS;
        }

        LimitSearch result(long now) {
            long packed = samples.get();
            long count = packed >>> SUM_BITS;
            double mean = (packed & ((1L << SUM_BITS) - 1)) / SCALE / count;
            return search.next(new LimitSearch.Measured(
                    count, mean, failures.sum(), blocked.sum() > 0, isSaturated(), now - start));
        }
    }
}
