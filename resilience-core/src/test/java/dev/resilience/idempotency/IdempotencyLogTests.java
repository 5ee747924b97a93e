package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class IdempotencyLogTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final IdempotencyReports reports = new IdempotencyReports("orders", Environment.of(time));
    private final Logger logger = (Logger) LoggerFactory.getLogger(Idempotency.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Level before = logger.getLevel();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(lines);
        lines.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(before);
    }

    @Test
    void aStoreThatIsDownIsToldOfInAFewLinesHoweverManyCallsItFails() {
        for (int i = 0; i < 1_000; i++) {
            reports.calls().count(IdempotencyOutcome.STORE_FAILURE);
            reports.calls().count(IdempotencyOutcome.STORE_FAILURE);
            reports.failed(IdempotencyReports.REFUSED, "refused", new IllegalStateException("down"));
            reports.failed(IdempotencyReports.UNPROTECTED, "unprotected", new IllegalStateException("down"));
        }
        time.advance(Duration.ofSeconds(1));

        assertThat(lines.list).hasSize(3).extracting(ILoggingEvent::getLevel).containsOnly(Level.WARN);
        assertThat(keyValues(0))
                .containsExactly(
                        "event=\"idempotency_store_failed\"",
                        "policy=\"orders\"",
                        "errorType=\"java.lang.IllegalStateException\"",
                        "errorMessage=\"down\"");
        assertThat(lines.list.get(0).getThrowableProxy().getMessage()).isEqualTo("down");
        assertThat(message(2))
                .startsWith("Idempotency 'orders': in the last second also 199")
                .endsWith(" store_failure, the first of them with java.lang.IllegalStateException: down");
    }

    @Test
    void everythingElseIsToldWithItsReason() {
        reports.leaseLost();
        reports.failed(IdempotencyReports.RENEWAL_FAILED, "not renewed", new IllegalStateException("down"));
        reports.failed(IdempotencyReports.COMPLETION_FAILED, "not stored", new IllegalStateException("down"));
        reports.resultNotKept("a result of Shop.order(String) has 9 bytes");

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Idempotency 'orders': a running call has lost its lease to another one",
                        "Idempotency 'orders': not renewed",
                        "Idempotency 'orders': not stored",
                        "Idempotency 'orders': a result of Shop.order(String) has 9 bytes; it is not stored and its key is "
                                + "free again");
    }

    @Test
    void whatIsCountedIsWrittenWhenThePolicyIsClosed() {
        for (int i = 0; i < 12; i++) {
            reports.leaseLost();
        }
        reports.close();

        assertThat(message(1)).isEqualTo("Idempotency 'orders': in the last second also more of the lines above");
    }

    private String message(int line) {
        return lines.list.get(line).getFormattedMessage();
    }

    private List<String> keyValues(int line) {
        return lines.list.get(line).getKeyValuePairs().stream()
                .map(Object::toString)
                .toList();
    }
}
