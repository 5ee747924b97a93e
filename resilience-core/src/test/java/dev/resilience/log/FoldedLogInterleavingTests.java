package dev.resilience.log;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;

/** At the turn of a second nothing is forgotten and nothing is told twice. */
class FoldedLogInterleavingTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Initializes what formats numbers, which takes long where every step of it is watched. */
    @BeforeAll
    static void writeASummary() {
        new LogSummary("Test", "orders", "test_summary", List.of(TestLines.ALL))
                .write(new RecordedLog(), new long[] {1_000, 0, 0}, Duration.ofSeconds(1), false, null);
    }

    @Interleaved(alwaysModelChecked = true)
    void eachEventIsInTheLogExactlyOnce(Interleavings mode) {
        mode.explore(threads -> {
            StubTime time = new StubTime();
            RecordedLog lines = new RecordedLog();
            FoldedLog log = new FoldedLog(lines, time, "Test", "orders", "test_summary", TestLines.ALL);
            fail(log, 11);
            time.advance(SECOND);
            time.timerGoesOff();
            time.advance(SECOND); // the second that now ends began folded and may be the last one that does

            threads.run(() -> fail(log, 2), () -> {
                time.timerGoesOff();
                fail(log, 1);
            });

            while (time.hasTimer()) {
                time.advance(SECOND);
                time.timerGoesOff();
            }
            long told = lines.lines().stream()
                    .mapToLong(line -> line.pairs().get("failures") instanceof Long folded ? folded : 1)
                    .sum();
            if (told != 14) {
                throw new AssertionError("Of 14 failures the log tells of " + told + ": " + lines.lines());
            }
        });
    }

    private static void fail(FoldedLog log, int times) {
        for (int i = 0; i < times; i++) {
            log.write(TestLines.FAILED, null, line -> line.log("it failed"));
        }
    }
}
