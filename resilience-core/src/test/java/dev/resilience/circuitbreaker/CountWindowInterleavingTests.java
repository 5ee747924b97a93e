package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.CallWindow.CountWindow;
import dev.resilience.circuitbreaker.CallWindow.Thresholds;
import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A count window is not linearizable: while calls are being recorded, a count may be off by as many as there are. It is
 * exact when they are done, never negative, and a threshold that they reach together is seen by one of them.
 */
class CountWindowInterleavingTests {

    private static final int SIZE = 2;

    @Interleaved(alwaysModelChecked = true)
    void countsAreExactWhenAllIsQuiet(Interleavings mode) {
        mode.explore(threads -> {
            CountWindow window = new CountWindow(SIZE, new Thresholds(SIZE, 1, 1e-7));

            threads.run(
                    () -> {
                        window.record(true, true);
                        window.record(false, false);
                    },
                    () -> {
                        window.record(true, false);
                        window.record(false, true);
                    });

            // what is left of them goes, and nothing stays behind
            window.record(false, false);
            check(window.record(false, false) == null, "slow calls are left");
            check(window.failureRate() == 0, "failures are left, or calls are missing");
            // and no more is missing than was there
            window.record(true, false);
            window.record(true, false);
            check(window.failureRate() == 1, "failures are missing");
        });
    }

    @Interleaved
    void aThresholdThatIsReachedIsSeenByOneOfThoseWhoReachIt(Interleavings mode) {
        mode.explore(threads -> {
            CountWindow window = new CountWindow(SIZE, new Thresholds(SIZE, 1, 0));
            AtomicBoolean seen = new AtomicBoolean();
            Runnable failure = () -> {
                if (window.record(true, false) != null) {
                    seen.set(true);
                }
            };

            threads.run(failure, failure);

            check(seen.get(), "Nobody saw that all calls failed");
        });
    }

    @Interleaved
    void aCountIsOffByNoMoreThanTheCallsUnderWay(Interleavings mode) {
        mode.explore(threads -> {
            CountWindow window = new CountWindow(1, new Thresholds(1, 1, 0));
            window.record(false, false);
            AtomicReference<Double> seen = new AtomicReference<>();

            threads.run(
                    () -> window.record(true, false),
                    () -> window.record(false, false),
                    () -> seen.set(window.failureRate()));

            check(seen.get() == 0 || seen.get() == 1 || seen.get() == 2, "A rate of " + seen.get());
            check(window.failureRate() <= 1, "A rate of " + window.failureRate() + " when all is quiet");
        });
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
