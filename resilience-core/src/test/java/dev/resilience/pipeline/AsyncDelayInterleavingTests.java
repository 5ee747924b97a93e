package dev.resilience.pipeline;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.worker.PolicyTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A wait that is started, over and cancelled at the same time has one end, and leaves no timer. */
class AsyncDelayInterleavingTests {

    @Interleaved(alwaysModelChecked = true)
    void goesOnOrIsCancelledAndNeverBoth(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            AtomicInteger wentOn = new AtomicInteger();
            AtomicInteger cancelled = new AtomicInteger();
            LinkedFuture answer = new LinkedFuture();
            PolicyTimeSource waits = PolicyTimeSource.of("orders-", time);

            threads.run(
                    () -> answer.pause(
                            waits, Duration.ofSeconds(1), wentOn::incrementAndGet, cancelled::incrementAndGet),
                    time::timerGoesOff,
                    () -> answer.cancel(true));

            if (wentOn.get() + cancelled.get() != 1) {
                throw new AssertionError("Went on " + wentOn + " times and was cancelled " + cancelled + " times");
            }
            if (time.hasTimer()) {
                throw new AssertionError("A timer is left");
            }
        });
    }
}
