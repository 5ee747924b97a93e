package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.WindowCounts;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The recent calls that rates are taken over. Lock-free; recording allocates nothing. */
abstract sealed class CallWindow permits CallWindow.CountWindow, CallWindow.TimeWindow {

    final Thresholds thresholds;

    CallWindow(Thresholds thresholds) {
        this.thresholds = thresholds;
    }

    /**
     * Records a call that ended. A call that cannot have moved a rate upwards may be told that none is too high.
     *
     * @return what the window holds if one of its rates has reached its threshold, or {@code null}
     */
    abstract @Nullable WindowCounts record(boolean failed, boolean slow);

    /**
     * Moves on to the present, before the first call is recorded that ends then.
     *
     * @param now the coarse time
     * @return when to be called again: calls that end before may be recorded without
     */
    long moveTo(long now) {
        return now + Long.MAX_VALUE;
    }

    /** Whether it has to {@linkplain #moveTo move}, and so has to know when a call ended. */
    boolean isTimed() {
        return false;
    }

    /** How many calls have been recorded so far, those included that it holds no longer. */
    abstract long recorded();

    abstract WindowCounts counts();

    /** What it held at the time of the last call that was recorded: what a threshold was held against. */
    WindowCounts countsAtLastCall() {
        return counts();
    }

    /** Whether it is the share of failures that is too high, rather than the one of slow calls. */
    final boolean isFailureRateReached(WindowCounts counts) {
        return Thresholds.reached(thresholds.failureRate, counts.failures(), counts.calls());
    }

    /** The share of failures, NaN below the minimum of calls. */
    final double failureRate() {
        WindowCounts counts = counts();
        return counts.calls() >= thresholds.minimumCalls ? counts.failureRate() : Double.NaN;
    }

    /** The numbers that a window is held against; a rate of 0 is off. */
    record Thresholds(int minimumCalls, double failureRate, double slowCallRate) {

        /** The counts, if they reach a threshold; nothing is allocated otherwise. */
        @Nullable
        WindowCounts ifReached(long calls, long failures, long slowCalls) {
            boolean reached = calls >= minimumCalls
                    && (reached(failureRate, failures, calls) || reached(slowCallRate, slowCalls, calls));
            return reached ? new WindowCounts(calls, failures, slowCalls) : null;
        }

        private static boolean reached(double threshold, long part, long calls) {
            return threshold > 0 && (double) part / calls >= threshold;
        }
    }

    /** What a window of calls held at one moment. */
    record WindowCounts(long calls, long failures, long slowCalls) {

        static final WindowCounts NONE = new WindowCounts(0, 0, 0);

        /** The share of failures, NaN if there is no call. */
        double failureRate() {
            return calls == 0 ? Double.NaN : (double) failures / calls;
        }
    }

    /**
     * The last n calls, as a ring of outcomes and their totals.
     *
     * <p>A call takes the next place of the ring, swaps its outcome in, and adds the difference between what it wrote and
     * what it found to the totals, all three counts at once in one long of 21 bits each. Each swap is atomic, so every
     * outcome is added once and taken away once, and the totals are exact whenever no thread is in the middle of this. While
     * some are, each of the counts may be off by one for each of them, either way: what a thread took away may still be
     * counted, what it wrote may not be counted yet, and may even have been taken away before it was added, which would leave
     * a count below zero. So counts are kept above a bias, and one that is below zero is read as zero.
     */
    static final class CountWindow extends CallWindow {

        static final int LARGEST = 1_000_000;

        private static final int BITS = 21;
        private static final int FAILURES = BITS; // where they begin in the totals, behind the slow calls
        private static final int CALLS = 2 * BITS;
        private static final long MASK = (1L << BITS) - 1;
        private static final long BIAS = 1L << (BITS - 1);
        private static final long ZERO = (BIAS << CALLS) | (BIAS << FAILURES) | BIAS;
        private static final int FAILED = 2;
        private static final int SLOW = 4;
        private static final int CALL = 1;

        private final AtomicIntegerArray outcomes;
        private final AtomicLong next = new AtomicLong();
        private final AtomicLong totals = new AtomicLong(ZERO);

        CountWindow(int size, Thresholds thresholds) {
            super(thresholds);
            this.outcomes = new AtomicIntegerArray(size);
        }

        @Override
        @Nullable
        WindowCounts record(boolean failed, boolean slow) {
            int outcome = CALL | (failed ? FAILED : 0) | (slow ? SLOW : 0);
            int place = (int) (next.getAndIncrement() % outcomes.length());
            if (outcome == CALL && outcomes.get(place) == CALL) {
                return null; // a good call in place of a good one: as if they had been swapped, nothing changes
            }
            int replaced = outcomes.getAndSet(place, outcome);
            long sums = totals.addAndGet(asTotals(outcome) - asTotals(replaced));
            return thresholds.ifReached(count(sums >>> CALLS), count(sums >>> FAILURES), count(sums));
        }

        @Override
        long recorded() {
            return next.get();
        }

        @Override
        WindowCounts counts() {
            long sums = totals.get();
            return new WindowCounts(count(sums >>> CALLS), count(sums >>> FAILURES), count(sums));
        }

        private static long asTotals(int outcome) {
            long calls = outcome & CALL;
            long failures = (outcome & FAILED) == 0 ? 0 : 1;
            long slowCalls = (outcome & SLOW) == 0 ? 0 : 1;
            return (calls << CALLS) | (failures << FAILURES) | slowCalls;
        }

        private static long count(long field) {
            return Math.max(0, (field & MASK) - BIAS);
        }
    }

    /**
     * The calls of the last so many seconds, in twenty buckets: the window slides by a twentieth of its length. On an exact
     * clock, a call counts for more than nineteen twentieths of the window's length and for less than its whole length.
     *
     * <p>The clock that calls are recorded by is a coarse one, so that it costs next to nothing: call its age the lag, which
     * is up to about 20 ms, and more while the machine is too busy to keep time. A call may so count for up to the lag longer
     * or shorter; no call is lost or counted twice. A window whose buckets are shorter than the lag does not slide by a
     * twentieth of its length but from tick to tick, and holds at least the calls of one tick: as if it were up to the lag
     * longer.
     *
     * <p>A bucket is replaced, never cleared, when its time comes round again: a thread that was held up writes into a
     * bucket that is not read any more. Of a call, its failure and its slowness are written last and read first: no thread
     * ever sees a higher share of them than there is, and the last of several threads sees them all. Rates are computed
     * only while the window holds something that could have moved them, so a healthy callee costs one addition.
     */
    static final class TimeWindow extends CallWindow {

        private static final int BUCKETS = 20;
        private static final AtomicReferenceFieldUpdater<TimeWindow, Bucket> CURRENT =
                AtomicReferenceFieldUpdater.newUpdater(TimeWindow.class, Bucket.class, "current");

        private final TimeSource time;
        private final long start;
        private final long bucketNanos;
        private final AtomicReferenceArray<@Nullable Bucket> buckets = new AtomicReferenceArray<>(BUCKETS);
        private final AtomicLong lastBadBucket = new AtomicLong(-BUCKETS);
        private volatile Bucket current;

        TimeWindow(Duration duration, Thresholds thresholds, TimeSource time) {
            super(thresholds);
            this.time = time;
            this.start = time.nanoTime();
            this.bucketNanos = Math.max(1, Durations.toNanos(duration) / BUCKETS);
            this.current = new Bucket(0, 0);
            buckets.set(0, current);
        }

        @Override
        @Nullable
        WindowCounts record(boolean failed, boolean slow) {
            Bucket bucket = current;
            long number = bucket.number;
            AtomicLong lastBad = lastBadBucket; // read before the addition, which later reads would wait for: measured
            bucket.incrementAndGet();
            if (failed || slow) {
                bucket.addBad(failed, slow);
                if (lastBad.get() < number) {
                    lastBad.accumulateAndGet(number, Math::max);
                }
            }
            return lastBad.get() > number - BUCKETS ? counts(number, true) : null;
        }

        /** Never moves back: a thread that was held up finds the bucket of those who were faster. */
        @Override
        long moveTo(long now) {
            long number = (now - start) / bucketNanos;
            Bucket bucket = current;
            while (bucket.number < number && !CURRENT.compareAndSet(this, bucket, bucket(number))) {
                bucket = current;
            }
            return start + (current.number + 1) * bucketNanos;
        }

        @Override
        boolean isTimed() {
            return true;
        }

        @Override
        long recorded() {
            Bucket bucket = current;
            return bucket.recordedBefore + bucket.get();
        }

        @Override
        WindowCounts counts() {
            return counts((time.nanoTime() - start) / bucketNanos);
        }

        @Override
        WindowCounts countsAtLastCall() {
            return counts(current.number);
        }

        private WindowCounts counts(long now) {
            return Objects.requireNonNull(counts(now, false));
        }

        /** @param onlyIfReached a threshold: otherwise {@code null}, and nothing is allocated */
        private @Nullable WindowCounts counts(long now, boolean onlyIfReached) {
            long failures = 0;
            long slowCalls = 0;
            long calls = 0;
            for (int i = 0; i < BUCKETS; i++) {
                Bucket bucket = buckets.get(i);
                if (bucket != null && bucket.number > now - BUCKETS) {
                    failures += bucket.failures.sum();
                    slowCalls += bucket.slowCalls.sum();
                    calls += bucket.get();
                }
            }
            return onlyIfReached
                    ? thresholds.ifReached(calls, failures, slowCalls)
                    : new WindowCounts(calls, failures, slowCalls);
        }

        private Bucket bucket(long number) {
            int place = (int) (number % BUCKETS);
            while (true) {
                Bucket bucket = buckets.get(place);
                if (bucket != null && bucket.number >= number) {
                    return bucket;
                }
                buckets.compareAndSet(place, bucket, new Bucket(number, recorded()));
            }
        }

        /** Its own value is how many calls ended in it: one reference less to follow for each of them. */
        @SuppressWarnings("serial") // is never serialized
        private static final class Bucket extends AtomicLong {

            final long number;
            final long recordedBefore;
            final LongAdder failures = new LongAdder();
            final LongAdder slowCalls = new LongAdder();

            Bucket(long number, long recordedBefore) {
                this.number = number;
                this.recordedBefore = recordedBefore;
            }

            void addBad(boolean failed, boolean slow) {
                if (failed) {
                    failures.increment();
                }
                if (slow) {
                    slowCalls.increment();
                }
            }
        }
    }
}
