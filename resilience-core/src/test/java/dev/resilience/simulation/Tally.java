package dev.resilience.simulation;

import java.time.Duration;
import java.util.stream.IntStream;

/** How often something happened, by tenths of a second. */
final class Tally {

    private static final long SLICE_NANOS = Duration.ofMillis(100).toNanos();
    private static final int SLICES_PER_SECOND = 10;

    private final int[] slices;

    Tally(long nanos) {
        slices = new int[slice(nanos) + 1];
    }

    /** What happens after the last slice is left out. */
    void add(long instant) {
        if (slice(instant) < slices.length) {
            slices[slice(instant)]++;
        }
    }

    /** The sum over the slices that begin between two moments. */
    int between(long from, long to) {
        return IntStream.range(slice(from), Math.min(slice(to), slices.length))
                .map(slice -> slices[slice])
                .sum();
    }

    /** The most within one second, from a moment on. */
    int peakPerSecondAfter(long instant) {
        return IntStream.rangeClosed(slice(instant), slices.length - SLICES_PER_SECOND)
                .map(slice -> between(slice * SLICE_NANOS, (slice + SLICES_PER_SECOND) * SLICE_NANOS))
                .max()
                .orElseThrow();
    }

    private static int slice(long instant) {
        return (int) (instant / SLICE_NANOS);
    }
}
