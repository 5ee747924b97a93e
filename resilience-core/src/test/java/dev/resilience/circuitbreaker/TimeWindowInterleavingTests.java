package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.Thresholds;
import dev.resilience.circuitbreaker.CallWindow.TimeWindow;
import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A time window is not linearizable: its buckets are read one after the other. What it holds is exact when all is quiet,
 * also where a bucket is begun by several threads, and a threshold that calls reach together is seen by one of them.
 */
class TimeWindowInterleavingTests {

    private static final long BUCKET = 1_000;
    private static final int BUCKETS = 20;

    private final Thresholds halfOfTwo = new Thresholds(2, 0.5, 0);
    private final Thresholds allOfTwo = new Thresholds(2, 1, 0);
    private final Thresholds anySlowOfTwo = new Thresholds(2, 0, 1e-7);

    @Interleaved(alwaysModelChecked = true)
    void noCallIsLostWhereABucketBegins(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(allOfTwo, time);
            time.advance(BUCKET);

            threads.run(() -> calls.failed(false, "Down"), () -> calls.failed(false, "Down"));

            check(calls.window.failureRate() == 1, "A call is missing");
        });
    }

    @Interleaved
    void noCallIsLostWhileTimeMovesOn(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(allOfTwo, time);

            threads.run(() -> calls.failed(false, "Down"), () -> {
                time.advance(BUCKET);
                calls.failed(false, "Down");
            });

            check(calls.window.failureRate() == 1, "A call is missing");
            time.advance(BUCKETS * BUCKET);
            check(Double.isNaN(calls.window.failureRate()), "What is older than the window is still counted");
        });
    }

    @Interleaved
    void aThresholdThatIsReachedIsSeenByOneOfThoseWhoReachIt(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(halfOfTwo, time);
            AtomicBoolean seen = new AtomicBoolean();

            threads.run(
                    () -> see(seen, calls.failed(false, "Down") != null),
                    () -> see(seen, calls.succeeded(false) != null));

            check(seen.get(), "Nobody saw that half of the calls failed");
        });
    }

    @Interleaved
    void tooManySlowCallsAreSeenByOneOfThem(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(anySlowOfTwo, time);
            AtomicBoolean seen = new AtomicBoolean();

            threads.run(
                    () -> see(seen, calls.succeeded(true) != null), () -> see(seen, calls.succeeded(false) != null));

            check(seen.get(), "Nobody saw the slow call");
        });
    }

    @Interleaved
    void aFailureCountsUntilItsTimeIsOver(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(halfOfTwo, time);

            threads.run(() -> calls.failed(false, "Down"), () -> {
                time.advance(BUCKET);
                calls.failed(false, "Down");
            });
            time.advance((BUCKETS - 1) * BUCKET); // the second failure is still in the window

            check(calls.succeeded(false) != null, "At least half of the calls in the window failed, and nobody saw it");
        });
    }

    /** Otherwise calls of the present would be forgotten with those of the past. */
    @Interleaved
    void theBucketOfTheMomentIsNeverAnOlderOne(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            CallStatistics calls = calls(new Thresholds(3, 0.6, 0), time);
            time.advance(BUCKET);

            threads.run(() -> calls.failed(false, "Down"), () -> {
                time.advance(BUCKET);
                calls.failed(false, "Down");
            });
            calls.failed(false, "Down");
            time.advance((BUCKETS - 1) * BUCKET); // two failures at least are still in the window

            check(calls.succeeded(false) != null, "Two of three calls in the window failed, and nobody saw it");
        });
    }

    private static CallStatistics calls(Thresholds thresholds, StubTime time) {
        return new CallStatistics(new TimeWindow(Duration.ofNanos(BUCKETS * BUCKET), thresholds, time), 0, 0, time);
    }

    private static void see(AtomicBoolean seen, boolean reached) {
        if (reached) {
            seen.set(true);
        }
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
