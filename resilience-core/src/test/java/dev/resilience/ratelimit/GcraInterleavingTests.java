package dev.resilience.ratelimit;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** However threads meet, there are as many permits as promised, no more and no fewer. */
class GcraInterleavingTests {

    private static RateLimitPolicy burst(int permits) {
        return RateLimitPolicy.builder()
                .permits(permits)
                .period(Duration.ofHours(1))
                .build();
    }

    private static Runnable caller(Gcra permits, int calls, AtomicInteger accepted) {
        return () -> {
            for (int i = 0; i < calls; i++) {
                if (permits.acquire(0, false) == 0) {
                    accepted.incrementAndGet();
                }
            }
        };
    }

    @Interleaved
    void twoCallersShareWhatThereIs(Interleavings mode) {
        mode.explore(threads -> {
            Gcra permits = new Gcra(burst(3), new ManualTimeSource());
            AtomicInteger accepted = new AtomicInteger();

            threads.run(caller(permits, 2, accepted), caller(permits, 2, accepted));

            check(accepted, 3);
        });
    }

    @Interleaved
    void callersThatDoNotReadTheClockShareWhatThereIs(Interleavings mode) {
        mode.explore(threads -> {
            Gcra permits = new Gcra(burst(64), new ManualTimeSource());
            AtomicInteger accepted = new AtomicInteger();
            caller(permits, 61, accepted).run();

            threads.run(caller(permits, 2, accepted), caller(permits, 2, accepted));

            check(accepted, 64);
        });
    }

    @Interleaved
    void noPermitIsTakenFromARateThatIsReplaced(Interleavings mode) {
        mode.explore(threads -> {
            Gcra permits = new Gcra(burst(3), new ManualTimeSource());
            AtomicInteger accepted = new AtomicInteger();

            threads.run(() -> permits.reconfigure(burst(4)), caller(permits, 2, accepted));

            caller(permits, 5, accepted).run();
            check(accepted, 4);
        });
    }

    private static void check(AtomicInteger accepted, int expected) {
        if (accepted.get() != expected) {
            throw new AssertionError(accepted.get() + " calls were let in, and not " + expected);
        }
    }
}
