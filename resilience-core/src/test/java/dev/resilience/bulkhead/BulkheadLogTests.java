package dev.resilience.bulkhead;

import static dev.resilience.event.CapturedLog.pairsOf;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class BulkheadLogTests {

    private final CapturedLog log = CapturedLog.of(Bulkhead.class);

    @AfterEach
    void close() {
        log.close();
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatIsRejectedIsToldOf(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0);
        calls.start(caller);
        calls.start(caller);

        assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
        assertThat(pairsOf(log.single()))
                .isEqualTo(Map.of(
                        "event", "bulkhead_rejected",
                        "policy", "orders",
                        "running", 1,
                        "queued", 0,
                        "reason", "1 call runs and 0 wait, which are the limits"));
        assertThat(log.single().getFormattedMessage())
                .isEqualTo(
                        "Bulkhead 'orders': a call was not let in, because 1 call runs and 0 wait, which are the limits");
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatHasWaitedTooLongIsToldOf(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 1);
        calls.start(caller);
        calls.start(caller);
        TestBulkhead.soon(() -> calls.bulkhead.queued() == 1);
        assertThat(log.events()).as("while it waits").isEmpty();

        TestBulkhead.soon(() -> !caller.isBlocking() || calls.time.parkedThreads() > 0);
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);
        TestBulkhead.soon(() -> log.events().size() == 1);

        assertThat(pairsOf(log.single()))
                .containsEntry("event", "bulkhead_timed_out")
                .containsEntry("policy", "orders")
                .containsEntry("reason", "it waited in the queue for 30 s");
    }

    @Test
    void aCallThatIsLetInLeavesNoTrace() throws Exception {
        TestBulkhead calls = new TestBulkhead(1, 0);

        calls.pipeline.call(() -> "result");

        assertThat(log.events()).isEmpty();
    }

    @Test
    void ofManyRejectedCallsOneLineASecondTellsHowMany() {
        TestBulkhead calls = new TestBulkhead(1, 0);
        calls.start(Caller.ASYNCHRONOUS);
        for (int second = 0; second < 3; second++) {
            for (int call = 0; call < 1_000; call++) {
                calls.pipeline.callAsync(() -> {
                    throw new AssertionError("has been let in");
                });
            }
            calls.time.advance(Duration.ofSeconds(1));
        }

        List<ILoggingEvent> lines = log.events().stream()
                .filter(line -> "orders".equals(pairsOf(line).get("policy"))) // others may fall due meanwhile
                .toList();
        assertThat(lines).hasSize(1 + 3);
        assertThat(lines.subList(1, 4))
                .allSatisfy(line -> assertThat(pairsOf(line))
                        .containsEntry("event", "bulkhead_summary")
                        .containsKey("rejected"));
        assertThat(lines.get(1).getFormattedMessage())
                .isEqualTo("Bulkhead 'orders': in the last second also 999 rejected");
        assertThat(lines.get(3).getFormattedMessage())
                .isEqualTo("Bulkhead 'orders': in the last second also 1000 rejected");
        assertThat(calls.bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(3_000);
    }

    @Test
    void whatIsFoldedIsWrittenWhenTheBulkheadIsClosed() {
        TestBulkhead calls = new TestBulkhead(1, 0);
        calls.start(Caller.ASYNCHRONOUS);
        for (int call = 0; call < 12; call++) {
            calls.pipeline.callAsync(() -> {
                throw new AssertionError("has been let in");
            });
        }

        calls.bulkhead.close();

        assertThat(pairsOf(log.events().get(1))).containsEntry("rejected", 11L);
    }
}
