package dev.resilience.hedge;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How long calls take: a histogram of the last half minute, in which older calls fade. It holds as many calls as are needed
 * however long ago they were, so that a service with few calls is hedged too.
 *
 * <p>A bucket is the exponent of a duration in nanoseconds and the first five bits of its mantissa, which are neighbours in a
 * {@code float}: 32 buckets for each power of two, so an upper bound is at most 3.2% above what is in the bucket (as in Gil
 * Tene's HdrHistogram). Recording is one increment, by any thread. Every three seconds what was recorded since is to be added to
 * what is left of the rest.
 */
final class Latencies {

    /** That of a call for which nothing is known. */
    static final long NEVER = Long.MAX_VALUE;

    /** Fewer tell nothing of a tail. */
    private static final int MIN_CALLS = 100;

    static final long REFRESH_NANOS = 3_000_000_000L;

    /** What is left of a call after each refresh: a call counts as 0.35 of one after 30 s. */
    private static final double KEPT = 0.9;

    private static final int SHIFT = 23 - 5; // of the mantissa's bits
    private static final int FIRST = Float.floatToIntBits(0x1p16f) >> SHIFT; // up to 66 µs
    private static final int BUCKETS = (Float.floatToIntBits(0x1p43f) >> SHIFT) - FIRST; // 2.4 hours and more

    private final AtomicIntegerArray recent = new AtomicIntegerArray(BUCKETS);
    private final double[] earlier = new double[BUCKETS]; // with the lock

    void record(long nanos) {
        recent.getAndIncrement(Math.min(
                BUCKETS - 1, Math.max(0, (Float.floatToIntBits((float) nanos) >> SHIFT) - FIRST)));
    }

    /**
     * The latency that at most a share of calls exceed.
     *
     * @return {@link #NEVER} as long as too few calls are known to tell; it takes a hundred, and one of the share
     */
    synchronized long exceededBy(double share) {
        double needed = Math.max(MIN_CALLS, 1 / share);
        double before = Arrays.stream(earlier).sum();
        double kept = before <= needed ? 1 : Math.max(KEPT, needed / before);
        double all = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            earlier[bucket] = earlier[bucket] * kept + recent.getAndSet(bucket, 0);
            all += earlier[bucket];
        }
        if (all < needed - 0.5) { // sums of parts
            return NEVER;
        }
        double longer = 0;
        int bucket = BUCKETS - 1;
        while (bucket > 0 && longer + earlier[bucket] <= share * all) {
            longer += earlier[bucket--];
        }
        return (long) Float.intBitsToFloat((FIRST + bucket + 1) << SHIFT);
    }
}
