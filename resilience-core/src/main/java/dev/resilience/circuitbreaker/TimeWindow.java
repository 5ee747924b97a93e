package dev.resilience.circuitbreaker;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the last so many seconds, in twenty buckets: the window slides by a twentieth of its length, and what is
 * older than the window is never counted.
 *
 * <p>A bucket is replaced, never cleared, when its time comes round again: a thread that was held up writes into a
 * bucket that nobody reads any more. The time that a call is recorded at is a coarse one, read and compared with the end
 * of the current bucket: a call may be taken for some 20 ms older than it is. Rates are computed only while the window
 * holds something that could have moved them, so a healthy callee costs one addition.
 */
final class TimeWindow implements CallWindow {

    private static final int BUCKETS = 20;
    private static final long FAILURE = 1L << 32;

    private final Thresholds thresholds;
    private final TimeSource time;
    private final long start;
    private final long bucketNanos;
    private final AtomicReferenceArray<@Nullable Bucket> buckets = new AtomicReferenceArray<>(BUCKETS);
    private volatile Bucket current;
    private volatile long lastTrouble = -BUCKETS;

    TimeWindow(Duration duration, Thresholds thresholds, TimeSource time) {
        this.thresholds = thresholds;
        this.time = time;
        this.start = time.nanoTime();
        this.bucketNanos = Math.max(1, Durations.toNanos(duration) / BUCKETS);
        this.current = new Bucket(0);
        buckets.set(0, current);
    }

    @Override
    public boolean record(boolean failed, boolean slow) {
        Bucket bucket = currentBucket();
        bucket.callsAndFailures.addAndGet(failed ? FAILURE + 1 : 1);
        if (slow) {
            bucket.slowCalls.increment();
        }
        long now = bucket.number;
        if ((failed || slow) && lastTrouble < now) {
            lastTrouble = now;
        }
        return lastTrouble > now - BUCKETS && reached(now);
    }

    /** That of the last call, as long as its time is not over: finding another one takes a division. */
    private Bucket currentBucket() {
        Bucket bucket = current;
        long elapsed = time.coarseNanoTime() - start;
        if (elapsed - bucket.number * bucketNanos >= bucketNanos) {
            bucket = bucket(elapsed / bucketNanos);
            current = bucket;
        }
        return bucket;
    }

    @Override
    public double failureRate() {
        long now = now();
        long sums = 0;
        for (int i = 0; i < BUCKETS; i++) {
            Bucket bucket = buckets.get(i);
            if (bucket != null && bucket.number > now - BUCKETS) {
                sums += bucket.callsAndFailures.get();
            }
        }
        return thresholds.failureRate(calls(sums), failures(sums));
    }

    private boolean reached(long now) {
        long sums = 0;
        long slowCalls = 0;
        for (int i = 0; i < BUCKETS; i++) {
            Bucket bucket = buckets.get(i);
            if (bucket != null && bucket.number > now - BUCKETS) {
                sums += bucket.callsAndFailures.get();
                slowCalls += bucket.slowCalls.sum();
            }
        }
        return thresholds.reached(calls(sums), failures(sums), slowCalls);
    }

    private long now() {
        return (time.nanoTime() - start) / bucketNanos;
    }

    private Bucket bucket(long number) {
        int place = (int) (number % BUCKETS);
        while (true) {
            Bucket bucket = buckets.get(place);
            if (bucket != null && bucket.number >= number) {
                return bucket;
            }
            buckets.compareAndSet(place, bucket, new Bucket(number));
        }
    }

    private static long calls(long callsAndFailures) {
        return callsAndFailures & (FAILURE - 1);
    }

    private static long failures(long callsAndFailures) {
        return callsAndFailures >>> 32;
    }

    private static final class Bucket {

        final long number;
        final AtomicLong callsAndFailures = new AtomicLong();
        final LongAdder slowCalls = new LongAdder();

        Bucket(long number) {
            this.number = number;
        }
    }
}
