package dev.resilience.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.concurrency.StubTime;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;

class FoldedLogTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final RecordedLog lines = new RecordedLog();
    private final FoldedLog log = log(lines, time);

    @Test
    void theFirstLineComesAtOnce() {
        fail(1);

        assertThat(lines.lines())
                .containsExactly(new RecordedLog.Line(
                        Level.WARN, "it failed", Map.of("event", "test_failed", "policy", "orders", "number", 1)));
    }

    @Test
    void upToTenLinesOfAnEventAreWrittenInASecond() {
        fail(10);
        mend(10);
        time.advance(SECOND);
        fail(10);
        time.advance(Duration.ofDays(1));

        assertThat(lines.events()).hasSize(30).doesNotContain("test_summary");
    }

    @Test
    void whatIsMoreIsCountedInOneLineWhenTheSecondIsOver() {
        fail(10);
        time.advance(Duration.ofMillis(400));
        fail(1_204);
        mend(1);
        time.advance(Duration.ofMillis(599));
        assertThat(lines.lines()).hasSize(11);
        time.advance(Duration.ofMillis(1));

        assertThat(lines.lines()).hasSize(12);
        assertThat(lines.last())
                .isEqualTo(new RecordedLog.Line(
                        Level.WARN,
                        "Test 'orders': besides the lines above 1,204 failed in the last second, last: "
                                + "java.net.ConnectException: refused",
                        Map.of(
                                "event",
                                "test_summary",
                                "policy",
                                "orders",
                                "periodMs",
                                1_000L,
                                "failures",
                                1_204L,
                                "mended",
                                0L,
                                "ignored",
                                0L,
                                "errorType",
                                "java.net.ConnectException",
                                "errorMessage",
                                "refused")));
    }

    @Test
    void asLongAsThereAreMoreThanTenASecondThereIsOneLineASecond() {
        for (int second = 0; second < 5; second++) {
            fail(1_000);
            time.advance(SECOND);
        }

        assertThat(lines.events())
                .hasSize(15)
                .satisfies(all ->
                        assertThat(Collections.frequency(all, "test_summary")).isEqualTo(5));
        assertThat(lines.last().message())
                .isEqualTo("Test 'orders': 1,000 failed in the last second, last: java.net.ConnectException: refused");
    }

    @Test
    void linesComeAgainWhenTheRateHasFallen() {
        fail(1_000);
        time.advance(SECOND);
        fail(10);
        time.advance(SECOND);
        assertThat(lines.last().pairs()).containsEntry("failures", 10L);

        fail(1);

        assertThat(lines.last().pairs()).containsEntry("event", "test_failed");
    }

    @Test
    void anEventThatIsRareHasLinesWhileAnotherIsFolded() {
        fail(1_000);
        time.advance(SECOND);

        mend(1);

        assertThat(lines.last().pairs()).containsEntry("event", "test_mended");
    }

    @Test
    void aSummaryOfWhatIsNoWarningIsNone() {
        mend(11);
        time.advance(SECOND);

        assertThat(lines.last().level()).isEqualTo(Level.INFO);
        assertThat(lines.last().message())
                .isEqualTo("Test 'orders': besides the lines above 1 mended in the last second");
    }

    @Test
    void whatIsOnlyCountedIsInTheSummaryOfItsSecondAndCausesNone() {
        ignore(1_000);
        time.advance(Duration.ofHours(1));
        assertThat(lines.lines()).isEmpty();

        fail(11);
        ignore(7);
        time.advance(SECOND);

        assertThat(lines.last().pairs()).containsEntry("failures", 1L).containsEntry("ignored", 7L);
        assertThat(lines.last().message()).contains("1 failed, 7 ignored in the last second");
    }

    @Test
    void whatIsFoldedIsWrittenWhenTheLogIsClosed() {
        fail(15);

        log.close();

        assertThat(lines.last().pairs()).containsEntry("failures", 5L);
        time.advance(Duration.ofMinutes(1));
        fail(1);
        assertThat(lines.events()).hasSize(12);
    }

    @Test
    void aSummaryThatComesLateSaysSo() {
        StubTime late = new StubTime();
        FoldedLog log = log(lines, late);
        for (int i = 0; i < 11; i++) {
            fail(log, i);
        }

        late.advance(Duration.ofMillis(2_900).toNanos());
        late.timerGoesOff();

        assertThat(lines.last().message()).contains("1 failed in the last 3 seconds");
        assertThat(lines.last().pairs()).containsEntry("periodMs", 2_900L);
    }

    @Test
    void aTimerThatIsLostDelaysTheSummaryToTheNextLine() {
        StubTime lost = new StubTime();
        FoldedLog log = log(lines, lost);
        for (int i = 0; i < 11; i++) {
            fail(log, i);
        }

        lost.advance(Duration.ofSeconds(5).toNanos());
        fail(log, 11);

        assertThat(lines.events()).hasSize(12).endsWith("test_summary", "test_failed");
    }

    @Test
    void thereIsNoTimerOnceNothingIsFolded() {
        StubTime stub = new StubTime();
        FoldedLog log = log(lines, stub);
        for (int i = 0; i < 10; i++) {
            fail(log, i);
        }
        assertThat(stub.hasTimer()).as("without anything that is folded").isFalse();

        for (int i = 0; i < 100; i++) {
            fail(log, i);
        }
        for (int second = 0; second < 2; second++) {
            assertThat(stub.hasTimer()).as("in second %s", second).isTrue();
            stub.advance(SECOND.toNanos());
            stub.timerGoesOff();
        }
        assertThat(stub.hasTimer()).isFalse();
    }

    @Test
    void aLoggerThatIsOffCostsNoTimer() {
        StubTime stub = new StubTime();
        FoldedLog log = log(
                new RecordedLog() {
                    @Override
                    public boolean isWarnEnabled() {
                        return false;
                    }
                },
                stub);

        for (int i = 0; i < 100; i++) {
            fail(log, i);
        }

        assertThat(stub.hasTimer()).isFalse();
    }

    @Test
    void aLoggerThatThrowsIsNotNoticed() {
        FoldedLog log = log(
                new RecordedLog() {
                    @Override
                    public void log(LoggingEvent event) {
                        throw new StackOverflowError("full");
                    }
                },
                time);

        for (int i = 0; i < 100; i++) {
            fail(log, i);
        }
        time.advance(SECOND);
        log.close();
    }

    @Test
    void aClockThatThrowsIsNotNoticed() {
        BrokenTime broken = new BrokenTime();
        FoldedLog log = log(lines, broken);
        broken.clock = true;

        for (int i = 0; i < 100; i++) {
            fail(log, i);
        }
        log.count(TestLines.IGNORED);
        log.close();
    }

    @Test
    void withoutTimersTheNextLineEndsTheSecond() {
        BrokenTime broken = new BrokenTime();
        FoldedLog log = log(lines, broken);
        broken.timers = true;

        for (int i = 0; i < 100; i++) {
            fail(log, i);
        }
        broken.advance(SECOND.toNanos());
        fail(log, 100);
        broken.timers = false;
        broken.timerGoesOff();
        broken.advance(SECOND.toNanos());
        fail(log, 101);

        assertThat(lines.events().subList(10, 13)).containsExactly("test_summary", "test_summary", "test_failed");
        assertThat(lines.lines().get(10).pairs()).containsEntry("failures", 90L);
        assertThat(lines.lines().get(11).pairs()).containsEntry("failures", 1L);
    }

    @Test
    void aMessageThatFailsIsToldAsSuch() {
        assertThat(LoggedFailure.of(new Exception() {
                            @Override
                            public String getMessage() {
                                throw new IllegalStateException();
                            }
                        })
                        .message())
                .isEqualTo("(its message fails with java.lang.IllegalStateException)");
    }

    @Test
    void noFailureIsKeptLongerThanUntilTheSummary() {
        WeakReference<Throwable> failure = failOften();
        time.advance(SECOND);

        await().untilAsserted(() -> {
            System.gc();
            assertThat(failure.refersTo(null)).isTrue();
        });
    }

    private WeakReference<Throwable> failOften() {
        Throwable failure = new ConnectException();
        for (int i = 0; i < 100; i++) {
            log.write(TestLines.FAILED, failure, line -> line.log("it failed"));
        }
        return new WeakReference<>(failure);
    }

    private void fail(int times) {
        for (int number = 1; number <= times; number++) {
            fail(log, number);
        }
    }

    private static void fail(FoldedLog log, int number) {
        log.write(
                TestLines.FAILED,
                new ConnectException("refused"),
                line -> line.addKeyValue("number", number).log("it failed"));
    }

    private void mend(int times) {
        for (int i = 0; i < times; i++) {
            log.write(TestLines.MENDED, null, line -> line.log("it works"));
        }
    }

    private void ignore(int times) {
        for (int i = 0; i < times; i++) {
            log.count(TestLines.IGNORED);
        }
    }

    private static FoldedLog log(RecordedLog lines, TimeSource time) {
        return new FoldedLog(lines, time, "Test", "orders", "test_summary", TestLines.ALL);
    }

    private static final class BrokenTime extends StubTime {

        private boolean clock;
        private boolean timers;

        @Override
        public long nanoTime() {
            if (clock) {
                throw new IllegalStateException("no time");
            }
            return super.nanoTime();
        }

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (timers) {
                throw new OutOfMemoryError("no thread");
            }
            return super.schedule(delay, task);
        }
    }
}
