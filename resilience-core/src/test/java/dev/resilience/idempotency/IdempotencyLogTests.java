package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class IdempotencyLogTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final IdempotencyLog log = new IdempotencyLog("orders", time);
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
            log.refused(new IllegalStateException("down"));
            log.unprotected(new IllegalStateException("down"));
        }
        time.advance(Duration.ofSeconds(1));

        assertThat(lines.list).hasSize(21).extracting(ILoggingEvent::getLevel).containsOnly(Level.WARN);
        assertThat(keyValues(0))
                .containsExactly(
                        "event=\"idempotency_store_failed\"",
                        "policy=\"orders\"",
                        "errorType=\"java.lang.IllegalStateException\"",
                        "errorMessage=\"down\"");
        assertThat(lines.list.get(0).getThrowableProxy().getMessage()).isEqualTo("down");
        assertThat(message(20))
                .isEqualTo(
                        "Idempotency 'orders': besides the lines above 990 refused because the store does not answer, "
                                + "990 run unprotected in the last second, last: java.lang.IllegalStateException: down");
    }

    @Test
    void everythingElseIsToldWithItsReason() {
        log.leaseLost();
        log.renewalFailed(Duration.ofSeconds(10), new IllegalStateException("down"));
        log.completionFailed("Shop.order(String)", new IllegalStateException("down"));
        log.resultNotKept("a result of Shop.order(String) has 9 bytes");

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Idempotency 'orders': a running call has lost its lease to another one",
                        "Idempotency 'orders': a lease could not be renewed; next try in PT10S",
                        "Idempotency 'orders': how a call of Shop.order(String) ended could not be stored; its key stays "
                                + "taken until the lease ends",
                        "Idempotency 'orders': a result of Shop.order(String) has 9 bytes; it is not stored and its key is "
                                + "free again");
    }

    @Test
    void whatIsCountedIsWrittenWhenThePolicyIsClosed() {
        for (int i = 0; i < 12; i++) {
            log.leaseLost();
        }
        log.close();

        assertThat(message(10))
                .isEqualTo("Idempotency 'orders': besides the lines above 2 leases lost in the last second");
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
