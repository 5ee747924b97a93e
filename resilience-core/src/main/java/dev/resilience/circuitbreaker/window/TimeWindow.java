package dev.resilience.circuitbreaker.window;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(TimeWindow.class, "current", Bucket.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

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
    public @Nullable WindowCounts record(boolean failed, boolean slow) {
        Bucket bucket = current;
        long number = bucket.number;
        AtomicLong trouble = lastTrouble; // what is read behind the addition waits for it
        bucket.incrementAndGet();
        if (failed || slow) {
            bucket.addTrouble(failed, slow);
            if (trouble.get() < number) {
                trouble.accumulateAndGet(number, Math::max);
            }
        }
        return trouble.get() > number - BUCKETS ? ifReached(number) : null;
    }

    /** Never moves back: a thread that was held up finds the bucket of those who were faster. */
    @Override
    public long moveTo(long now) {
        long number = (now - start) / bucketNanos;
        Bucket bucket = current;
        while (bucket.number < number && !CURRENT.compareAndSet(this, bucket, bucket(number))) {
            bucket = current;
        }
        return start + (current.number + 1) * bucketNanos;
    }

    @Override
    public boolean isTimed() {
        return true;
    }

    @Override
    public long recorded() {
        Bucket bucket = current;
        return bucket.recordedBefore + bucket.get();
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
                calls += bucket.get();
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
                calls += bucket.get();
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
