package dev.resilience.simulation;

import java.util.Arrays;
import java.util.List;

/**
 * What came of one phase.
 *
 * @param served calls that were answered, per second
 * @param refused calls that were refused, per second
 * @param p99Millis 99 of 100 calls that were answered had held their permits for at most so long
 * @param limits the limit at the end of each second
 */
@SuppressWarnings("ArrayRecordComponent") // of a test
record LimitResult(LimitPhase phase, double served, double refused, double p99Millis, int[] limits) {

    static LimitResult of(LimitPhase phase, List<Long> nanos, long refused, int[] limits) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        double p99 = sorted.length == 0 ? 0 : sorted[(int) (sorted.length * 0.99)] / 1e6;
        return new LimitResult(
                phase, (double) sorted.length / phase.seconds(), (double) refused / phase.seconds(), p99, limits);
    }

    double meanLimit() {
        return Arrays.stream(limits).average().orElseThrow();
    }

    /** The mean of the second half, when it has found its place. */
    double settledLimit() {
        return meanLimit(limits.length / 2, limits.length);
    }

    /** The mean of a part of the phase's seconds. */
    double meanLimit(int from, int to) {
        return Arrays.stream(limits, from, to).average().orElseThrow();
    }

    int maxLimit() {
        return Arrays.stream(limits).max().orElseThrow();
    }
}
