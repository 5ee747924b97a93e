package dev.resilience.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.concurrency.StubTime;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;

class FoldedLogTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final RecordedLog lines = new RecordedLog();
    private final Map<String, Long> counts = new LinkedHashMap<>(Map.of("failed", 0L));
    private final FoldedLog log = log(lines, time);

    FoldedLogTests() {
        counts.put("mended", 0L);
        counts.put("ignored", 0L);
    }

    @Test
    void theFirstLineComesAtOnce() {
        fail(1);

        assertThat(lines.lines())
                .containsExactly(new RecordedLog.Line(
                        Level.WARN, "it failed", Map.of("event", "test_failed", "policy", "orders", "number", 1)));
    }

    @Test
    void theFirstLineOfEveryEventComesAtOnce() {
        fail(100);
        mend(1);

        assertThat(lines.events()).containsExactly("test_failed", "test_mended");
    }

    @Test
    void aSecondLaterThereIsALineAtOnceAgain() {
        for (int second = 0; second < 3; second++) {
            fail(1);
            time.advance(SECOND);
        }

        assertThat(lines.events()).containsExactly("test_failed", "test_failed", "test_failed");
    }

    @Test
    void aSecondWithoutALineCountsFromTheLastOneOfAnyEvent() {
        fail(1);
        time.advance(Duration.ofMillis(600));
        mend(1);
        time.advance(Duration.ofMillis(700));
        mend(1);

        assertThat(lines.events()).containsExactly("test_failed", "test_mended");
        time.advance(Duration.ofMillis(300));
        assertThat(lines.events()).containsExactly("test_failed", "test_mended", "test_mended");
    }

    @Test
    void aSummaryCountsWhatEndedSinceTheLastLineAlone() {
        fail(1);
        count("ignored", 1_000);
        time.advance(Duration.ofMillis(900));
        mend(1);
        time.advance(Duration.ofMillis(900));
        count("ignored", 7);
        fail(2);
        time.advance(SECOND);

        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also 2 failed, 7 ignored");
    }

    @Test
    void furtherOnesAreCountedInOneLineWhenTheSecondIsOver() {
        fail(1);
        time.advance(Duration.ofMillis(400));
        fail(1_204);
        mend(1);
        time.advance(Duration.ofMillis(599));
        assertThat(lines.events()).containsExactly("test_failed", "test_mended");
        time.advance(Duration.ofMillis(1));

        assertThat(lines.lines()).hasSize(3);
        assertThat(lines.last())
                .isEqualTo(new RecordedLog.Line(
                        Level.WARN,
                        "Test 'orders': in the last second also 1204 failed",
                        Map.of(
                                "event",
                                "test_summary",
                                "policy",
                                "orders",
                                "failed",
                                1_204L,
                                "mended",
                                0L,
                                "ignored",
                                0L)));
    }

    @Test
    void aSingleFurtherOneIsWrittenAsItselfWithItsTime() {
        fail(1);
        time.advance(Duration.ofMillis(400));
        String at = Timestamps.text(time.now());
        fail(log, 2);
        time.advance(Duration.ofMillis(599));
        assertThat(lines.lines()).hasSize(1);
        time.advance(Duration.ofMillis(1));

        assertThat(lines.lines()).hasSize(2);
        assertThat(lines.last())
                .isEqualTo(new RecordedLog.Line(
                        Level.WARN,
                        "it failed",
                        Map.of("event", "test_failed", "policy", "orders", "number", 2, "at", at)));
    }

    @Test
    void asLongAsMuchFailsThereIsOneLineASecond() {
        for (int second = 0; second < 5; second++) {
            fail(1_000);
            time.advance(SECOND);
        }

        assertThat(lines.events()).hasSize(6).startsWith("test_failed", "test_summary", "test_summary");
        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also 1000 failed");
    }

    @Test
    void anEventThatIsNewInALongOutageHasItsLineAtOnceAndIsInNoSummary() {
        fail(10);
        time.advance(SECOND);
        fail(10);
        mend(1);
        assertThat(lines.events()).containsExactly("test_failed", "test_summary", "test_mended");
        time.advance(SECOND);

        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also 10 failed");
    }

    @Test
    void afterASecondWithoutALineAllBeginsAnew() {
        fail(10);
        time.advance(SECOND.multipliedBy(2));
        fail(1);

        assertThat(lines.events()).containsExactly("test_failed", "test_summary", "test_failed");
    }

    @Test
    void theLastSecondOfAnOutageThatHasNoWarningIsNone() {
        fail(10);
        mend(1);
        time.advance(SECOND);
        mend(10);
        time.advance(SECOND);

        assertThat(lines.last().level()).isEqualTo(Level.INFO);
        assertThat(lines.last().pairs()).containsEntry("failed", 0L).containsEntry("mended", 10L);
    }

    @Test
    void aSummaryShowsTheFirstFailureThatItStandsFor() {
        for (int i = 0; i < 4; i++) {
            count("failed", 1);
            Exception failure = new IOException("call " + i, new ConnectException("refused"));
            log.write(TestLines.FAILED, failure, (line, failed) -> line.log("it failed: {}", failed));
        }
        time.advance(SECOND);

        assertThat(lines.last().message())
                .isEqualTo("Test 'orders': in the last second also 3 failed, the first of them with "
                        + "java.io.IOException: call 1, caused by java.net.ConnectException: refused");
        assertThat(lines.last().pairs())
                .containsEntry("errorMessage", "call 1")
                .containsEntry("rootCauseType", "java.net.ConnectException");
    }

    @Test
    void oneIsSingular() {
        count("retries", 0);
        fail(1);
        count("retries", 1);
        fail(2);
        time.advance(SECOND);

        assertThat(lines.last().message()).endsWith("also 2 failed, 1 retry");
    }

    @Test
    void aSummaryOfWhatIsNoWarningIsNone() {
        mend(11);
        time.advance(SECOND);

        assertThat(lines.last().level()).isEqualTo(Level.INFO);
        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also 10 mended");
    }

    @Test
    void outcomesWithoutLinesAreInTheSummaryOfTheirSecondAndCauseNone() {
        count("ignored", 1_000);
        time.advance(Duration.ofHours(1));
        assertThat(lines.lines()).isEmpty();

        fail(11);
        count("ignored", 7);
        time.advance(SECOND);

        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also 10 failed, 7 ignored");
    }

    @Test
    void linesThatNoOutcomeCountsAreSummarizedWithoutNumbers() {
        for (int i = 0; i < 3; i++) {
            log.write(TestLines.UNCOUNTED, line -> line.log("odd"));
        }
        time.advance(SECOND);

        assertThat(lines.last().message()).isEqualTo("Test 'orders': in the last second also more of the lines above");
    }

    @Test
    void whatIsFoldedIsWrittenWhenTheLogIsClosed() {
        fail(15);

        log.close();

        assertThat(lines.last().pairs()).containsEntry("failed", 14L);
        time.advance(Duration.ofMinutes(1));
        fail(1);
        assertThat(lines.events()).containsExactly("test_failed", "test_summary", "test_failed");
    }

    @Test
    void thereIsNoTimerOnceNothingIsFolded() {
        StubTime stub = new StubTime();
        FoldedLog log = log(lines, stub);
        fail(log, 1);
        assertThat(stub.hasTimer()).as("without anything that is folded").isFalse();

        fail(log, 2);
        assertThat(stub.hasTimer()).isTrue();
        stub.advance(SECOND.toNanos());
        stub.timerGoesOff();
        assertThat(stub.hasTimer()).isFalse();
    }

    @Test
    void aLineThatNoTimerCouldFoldIsInNoSummary() {
        AtomicBoolean isOutOfThreads = new AtomicBoolean(true);
        StubTime stub = new StubTime() {
            @Override
            public Scheduled schedule(Duration delay, Runnable task) {
                if (isOutOfThreads.get()) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return super.schedule(delay, task);
            }
        };
        FoldedLog log = log(lines, stub);
        fail(log, 1);
        fail(log, 2);
        assertThat(lines.events()).containsExactly("test_failed", "test_failed");

        isOutOfThreads.set(false);
        fail(log, 3);
        fail(log, 4);
        stub.advance(SECOND.toNanos());
        stub.timerGoesOff();
        assertThat(lines.last().pairs()).containsEntry("failed", 2L);
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
    void aLineThatCannotBeWrittenIsNotNoticed() {
        FoldedLog log = log(
                new RecordedLog() {
                    @Override
                    public void log(LoggingEvent event) {
                        throw new StackOverflowError("full");
                    }
                },
                time);

        fail(log, 1);
    }

    @Test
    void aMessageThatFailsIsReportedAsSuch() {
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
    void aSubjectIsReportedOnce() {
        for (int i = 0; i < 3; i++) {
            log.once("proxy", TestLines.UNCOUNTED, line -> line.log("odd"));
            log.once("script", TestLines.UNCOUNTED, line -> line.log("odd"));
        }

        assertThat(lines.lines()).hasSize(2);
    }

    @Test
    void aBrokenCallbackIsReportedOnceWithItsName() {
        for (int i = 0; i < 3; i++) {
            log.callbackFailed("retry-if", "the failure is not retried", new IllegalStateException());
        }

        assertThat(lines.lines())
                .containsExactly(new RecordedLog.Line(
                        Level.WARN,
                        "Test 'orders': retry-if failed, so the failure is not retried. Logged once.",
                        Map.of("event", "callback_failed", "policy", "orders", "callback", "retry-if")));
    }

    @Test
    void onlyThousandSubjectsAreRemembered() {
        for (int i = 0; i < 2_000; i++) {
            log.once("type " + i, TestLines.UNCOUNTED, line -> line.log("odd"));
        }

        assertThat(lines.lines()).hasSize(1_000);
    }

    @Test
    void noFailureIsKeptLongerThanUntilTheEndOfTheSecond() {
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
            log.write(
                    TestLines.FAILED,
                    line -> line.addKeyValue("type", failure.getClass()).log("it failed"));
        }
        return new WeakReference<>(failure);
    }

    private void fail(int times) {
        for (int number = 1; number <= times; number++) {
            fail(log, number);
        }
    }

    private void fail(FoldedLog log, int number) {
        count("failed", 1);
        log.write(TestLines.FAILED, line -> line.addKeyValue("number", number).log("it failed"));
    }

    private void mend(int times) {
        for (int i = 0; i < times; i++) {
            count("mended", 1);
            log.write(TestLines.MENDED, line -> line.log("it works"));
        }
    }

    private void count(String outcome, long times) {
        counts.merge(outcome, times, Long::sum);
    }

    private FoldedLog log(RecordedLog lines, TimeSource time) {
        return new FoldedLog(lines, time, "Test", "orders", "test_summary", () -> counts);
    }
}
