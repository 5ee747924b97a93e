package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.resilience.policy.Way;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CircuitBreakerLogTests {

    private final Logger log = (Logger) LoggerFactory.getLogger(CircuitBreaker.class);
    private final Level before = log.getLevel();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final TestBreaker calls =
            new TestBreaker(Way.BLOCKING, TestBreaker.consecutive(1).build());

    @BeforeEach
    void listen() {
        log.setLevel(Level.INFO);
        log.setAdditive(false);
        log.addAppender(lines);
        lines.start();
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
        log.setAdditive(true);
        log.setLevel(before);
    }

    @Test
    void tellsWhenItOpensAndWhenItCloses() throws Throwable {
        calls.openAndWait();
        calls.succeed(2);

        assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.INFO);
        assertThat(keyValues(0)).containsExactly("event=\"circuit_opened\"", "policy=\"payments\"", "from=\"CLOSED\"");
        assertThat(keyValues(1))
                .containsExactly("event=\"circuit_closed\"", "policy=\"payments\"", "from=\"HALF_OPEN\"");
    }

    @Test
    void tellsNothingOfCalls() throws Throwable {
        calls.open();
        lines.list.clear();

        calls.refused();
        calls.refused();

        assertThat(lines.list).isEmpty();
    }

    private List<String> keyValues(int line) {
        return lines.list.get(line).getKeyValuePairs().stream()
                .map(Object::toString)
                .toList();
    }
}
