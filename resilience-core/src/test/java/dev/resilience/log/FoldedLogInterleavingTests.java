package dev.resilience.log;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * At the turn of a second no line is forgotten. A call that is counted before the turn and written after it may be in both seconds
 * or in neither, so the numbers may differ by one for each other thread.
 */
class FoldedLogInterleavingTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Interleaved(alwaysModelChecked = true)
    void noEventIsMissingInTheLog(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            RecordedLog lines = new RecordedLog();
            AtomicLong failed = new AtomicLong();
            FoldedLog log =
                    new FoldedLog(lines, time, "Test", "orders", "test_summary", () -> Map.of("failed", failed.get()));
            fail(log, failed, 3);
            time.advance(SECOND); // and so the second that is summarized is over

            threads.run(() -> fail(log, failed, 2), () -> {
                time.timerGoesOff();
                fail(log, failed, 1);
            });

            while (time.hasTimer()) {
                time.advance(SECOND);
                time.timerGoesOff();
            }
            long reported = lines.lines().stream()
                    .mapToLong(line -> line.pairs().get("failed") instanceof Long folded ? folded : 1)
                    .sum();
            if (reported < 5 || reported > 7) {
                throw new AssertionError("Of 6 failures the log reports " + reported + ": " + lines.lines());
            }
        });
    }

    private static void fail(FoldedLog log, AtomicLong failed, int times) {
        for (int i = 0; i < times; i++) {
            failed.incrementAndGet();
            log.write(TestLines.FAILED, line -> line.log("it failed"));
        }
    }
}
