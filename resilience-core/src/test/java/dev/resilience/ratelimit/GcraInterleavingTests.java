package dev.resilience.ratelimit;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** However threads meet, there are as many permits as promised, no more and no fewer. */
class GcraInterleavingTests {

    /** Time that stands still, and needs no lock for that. Its coarse time is late, as the system's is. */
    private record Standing() implements TimeSource {

        @Override
        public long coarseNanoTime() {
            return -1;
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public void sleep(Duration duration) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void park(Object blocker, Duration atMost) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            throw new UnsupportedOperationException();
        }
    }

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
            Gcra permits = new Gcra(burst(3), new Standing());
            AtomicInteger accepted = new AtomicInteger();

            threads.run(caller(permits, 2, accepted), caller(permits, 2, accepted));

            check(accepted, 3);
        });
    }

    @Interleaved
    void callersThatDoNotReadTheClockShareWhatThereIs(Interleavings mode) {
        mode.explore(threads -> {
            Gcra permits = new Gcra(burst(32), new Standing());
            AtomicInteger accepted = new AtomicInteger();
            caller(permits, 29, accepted).run();

            threads.run(caller(permits, 2, accepted), caller(permits, 2, accepted));

            check(accepted, 32);
        });
    }

    @Interleaved
    void noPermitIsTakenFromARateThatIsReplaced(Interleavings mode) {
        mode.explore(threads -> {
            Gcra permits = new Gcra(burst(3), new Standing());
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
