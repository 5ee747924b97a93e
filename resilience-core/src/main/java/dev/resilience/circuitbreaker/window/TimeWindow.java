package dev.resilience.circuitbreaker.window;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

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
public final class TimeWindow implements CallWindow {

    private static final int BUCKETS = 20;

    private final Thresholds thresholds;
    private final TimeSource time;
    private final long start;
    private final long bucketNanos;
    private final AtomicReferenceArray<@Nullable Bucket> buckets = new AtomicReferenceArray<>(BUCKETS);
    private final AtomicLong lastTrouble = new AtomicLong(-BUCKETS);
    private volatile Bucket current;

    public TimeWindow(Duration duration, Thresholds thresholds, TimeSource time) {
        this.thresholds = thresholds;
        this.time = time;
        this.start = time.nanoTime();
        this.bucketNanos = Math.max(1, Durations.toNanos(duration) / BUCKETS);
        this.current = new Bucket(0, 0);
        buckets.set(0, current);
    }

    @Override
    public @Nullable WindowCounts record(boolean failed, boolean slow, long now) {
        Bucket bucket = bucketAt(now - start);
        bucket.calls.incrementAndGet();
        long number = bucket.number;
        if (failed || slow) {
            bucket.addTrouble(failed, slow);
            if (lastTrouble.get() < number) {
                lastTrouble.accumulateAndGet(number, Math::max);
            }
        }
        return lastTrouble.get() > number - BUCKETS ? ifReached(number) : null;
    }

    /** That of the last call, as long as its time is not over: finding another one takes a division. */
    private Bucket bucketAt(long elapsed) {
        Bucket bucket = current;
        if (elapsed - bucket.number * bucketNanos >= bucketNanos) {
            bucket = bucket(elapsed / bucketNanos);
            current = bucket;
        }
        return bucket;
    }

    @Override
    public boolean isTimed() {
        return true;
    }

    @Override
    public long recorded() {
        Bucket bucket = current;
        return bucket.recordedBefore + bucket.calls.get();
    }

    @Override
    public double failureRate() {
        return thresholds.failureRate(counts());
    }

    @Override
    public WindowCounts counts() {
        return counts((time.nanoTime() - start) / bucketNanos);
    }

    @Override
    public WindowCounts countsAtLastCall() {
        return counts(current.number);
    }

    @Override
    public boolean isFailureRateReached(WindowCounts counts) {
        return thresholds.isFailureRateReached(counts);
    }

    private WindowCounts counts(long now) {
        long failures = 0;
        long slowCalls = 0;
        long calls = 0;
        for (int i = 0; i < BUCKETS; i++) {
            Bucket bucket = buckets.get(i);
            if (bucket != null && bucket.number > now - BUCKETS) {
                failures += bucket.failures.sum();
                slowCalls += bucket.slowCalls.sum();
                calls += bucket.calls.get();
            }
        }
        return new WindowCounts(calls, failures, slowCalls);
    }

    /** As {@link #counts(long)}, and allocates nothing unless a threshold is reached. */
    private @Nullable WindowCounts ifReached(long now) {
        long failures = 0;
        long slowCalls = 0;
        long calls = 0;
        for (int i = 0; i < BUCKETS; i++) {
            Bucket bucket = buckets.get(i);
            if (bucket != null && bucket.number > now - BUCKETS) {
                failures += bucket.failures.sum();
                slowCalls += bucket.slowCalls.sum();
                calls += bucket.calls.get();
            }
        }
        return thresholds.ifReached(calls, failures, slowCalls);
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

    private static final class Bucket {

        final long number;
        final long recordedBefore;
        final AtomicLong calls = new AtomicLong();
        final LongAdder failures = new LongAdder();
        final LongAdder slowCalls = new LongAdder();

        Bucket(long number, long recordedBefore) {
            this.number = number;
            this.recordedBefore = recordedBefore;
        }

        void addTrouble(boolean failed, boolean slow) {
            if (failed) {
                failures.increment();
            }
            if (slow) {
                slowCalls.increment();
            }
        }
    }
}
