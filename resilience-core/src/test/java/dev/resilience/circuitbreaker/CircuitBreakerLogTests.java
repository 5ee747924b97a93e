package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.resilience.policy.CallMode;
import java.time.Duration;
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
            new TestBreaker(CallMode.BLOCKING, TestBreaker.consecutive(1).build());

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
    void isFoldedWhereItOpensAndClosesManyTimesASecond() throws Throwable {
        TestBreaker flapping = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1).openDuration(Duration.ofMillis(100)).build());
        for (int probe = 0; probe < 50; probe++) {
            flapping.fail();
            flapping.time.advance(Duration.ofMillis(100));
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSizeBetween(5, 8)
                .contains("Circuit breaker 'payments': in the last second also 20 changes");
    }

    @Test
    void countsNoChangeByHandWhichHasALineOfItsOwn() throws Throwable {
        TestBreaker flapping = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1).openDuration(Duration.ofMillis(100)).build());
        flapping.fail();
        flapping.time.advance(Duration.ofMillis(100));
        flapping.fail();
        flapping.breaker.close();
        flapping.fail();
        flapping.time.advance(Duration.ofSeconds(1));

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(4)
                .endsWith("Circuit breaker 'payments': in the last second also 2 changes");
    }

    @Test
    void tellsOfACloseLaterWhatWasTrueWhenItClosed() throws Throwable {
        TestBreaker calls = new TestBreaker(
                CallMode.BLOCKING,
                TestBreaker.consecutive(1).ramp(Duration.ofMillis(500)).build());
        calls.openAndWait();
        calls.succeed(2);
        calls.breaker.halfOpen();
        calls.succeed(2);
        calls.succeed();
        calls.refused();
        calls.time.advance(Duration.ofSeconds(1));

        assertThat(message(lines.list.size() - 1))
                .isEqualTo("Circuit breaker 'payments' closed: 2 probes succeeded; it was open for 0 ns and refused 0 "
                        + "calls; its load comes back over 0.5 s");
    }

    @Test
    void tellsOfEveryTransitionInOneLine() throws Throwable {
        calls.open();
        calls.refused();
        calls.time.advance(Duration.ofSeconds(30));
        calls.succeed(2);

        lines.list.removeIf(line -> line.getFormattedMessage().startsWith("A call was not made"));
        assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.INFO, Level.INFO);
        assertThat(keyValues(0))
                .containsExactly(
                        "event=\"circuit_opened\"",
                        "policy=\"payments\"",
                        "from=\"CLOSED\"",
                        "reason=\"1 call failed\"",
                        "lastFailure=\"java.lang.IllegalStateException: down\"",
                        "openFor=\"PT30S\"",
                        "failedProbes=\"0\"",
                        "nextProbe=\"2026-01-01T00:00:30.000Z\"");
        assertThat(message(0))
                .isEqualTo(
                        "Circuit breaker 'payments' opened: 1 call failed, the last with "
                                + "java.lang.IllegalStateException: down; calls are refused for 30 s, until 2026-01-01T00:00:30.000Z");
        assertThat(keyValues(1))
                .containsExactly(
                        "event=\"circuit_half_open\"",
                        "policy=\"payments\"",
                        "from=\"OPEN\"",
                        "reason=\"the open period of 30 s is over\"");
        assertThat(message(1))
                .isEqualTo("Circuit breaker 'payments' is half-open: the open period of 30 s is over; "
                        + "successes that close it: 2, probes at a time: 1");
        assertThat(keyValues(2))
                .containsExactly(
                        "event=\"circuit_closed\"",
                        "policy=\"payments\"",
                        "from=\"HALF_OPEN\"",
                        "reason=\"2 probes succeeded\"",
                        "wasOpenFor=\"PT30S\"",
                        "refused=\"1\"");
        assertThat(message(2))
                .isEqualTo(
                        "Circuit breaker 'payments' closed: 2 probes succeeded; it was open for 30 s and refused 1 call");
    }

    @Test
    void tellsOfProbingsThatFailed() {
        calls.openAndWait();
        lines.list.clear();
        calls.fail();

        assertThat(message(1))
                .isEqualTo(
                        "Circuit breaker 'payments' opened: a probe failed with java.lang.IllegalStateException: down "
                                + "(probing 1); before that: 1 call failed; calls are refused for 30 s, until "
                                + "2026-01-01T00:01:00.000Z");
        assertThat(keyValues(1)).contains("failedProbes=\"1\"");
    }

    @Test
    void tellsWhatAnOperatorDid() {
        calls.breaker.forceOpen();
        calls.breaker.disable();
        calls.breaker.close();
        calls.breaker.halfOpen();
        calls.breaker.open();
        calls.breaker.metricsOnly();

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Circuit breaker 'payments' is forced open: forced open by hand; all calls are refused until "
                                + "an operator or the application says otherwise",
                        "Circuit breaker 'payments' is disabled: all calls pass and nothing is counted until an operator "
                                + "or the application says otherwise",
                        "Circuit breaker 'payments' closed: closed by hand",
                        "Circuit breaker 'payments' is half-open: set to half-open by hand; successes that close it: 2, "
                                + "probes at a time: 1",
                        "Circuit breaker 'payments' opened: opened by hand; calls are refused for 30 s, until "
                                + "2026-01-01T00:00:30.000Z",
                        "Circuit breaker 'payments' only counts: all calls pass, however many of them fail, until an "
                                + "operator or the application says otherwise");
        assertThat(keyValues(0)).startsWith("event=\"circuit_opened\"", "policy=\"payments\"", "from=\"CLOSED\"");
        assertThat(keyValues(1)).startsWith("event=\"circuit_disabled\"");
        assertThat(keyValues(5))
                .containsExactly(
                        "event=\"circuit_metrics_only\"",
                        "policy=\"payments\"",
                        "from=\"OPEN\"",
                        "reason=\"set to metrics-only by hand\"");
    }

    @Test
    void tellsThatAnOperatorOpenedItAnew() {
        calls.breaker.open();
        calls.time.advance(Duration.ofSeconds(10));

        calls.breaker.open();

        assertThat(keyValues(1))
                .startsWith("event=\"circuit_opened\"", "policy=\"payments\"", "from=\"OPEN\"")
                .endsWith("nextProbe=\"2026-01-01T00:00:40.000Z\"");
    }

    @Test
    void tellsThatAnOperatorBeganTheProbingAnew() {
        calls.breaker.halfOpen();

        calls.breaker.halfOpen();

        assertThat(keyValues(1)).startsWith("event=\"circuit_half_open\"", "policy=\"payments\"", "from=\"HALF_OPEN\"");
    }

    @Test
    void aNextProbeIsToldByTheClockAsItIsSetNow() {
        calls.openAndWait();
        calls.time.shiftWallClock(Duration.ofHours(1));
        calls.fail();

        assertThat(lines.list)
                .last()
                .satisfies(line -> assertThat(line.getFormattedMessage()).endsWith("until 2026-01-01T01:01:00.000Z"));
    }

    @Test
    void reportsTheFirstRefusalAtOnceAndTheOthersInOneLine() throws Throwable {
        calls.open();
        lines.list.clear();

        for (int i = 0; i < 1_000; i++) {
            calls.refused();
        }
        calls.time.advance(Duration.ofSeconds(1));

        assertThat(lines.list).hasSize(2);
        assertThat(keyValues(0))
                .containsExactly("event=\"circuit_rejected\"", "policy=\"payments\"", "retryAfterMs=\"30000\"");
        assertThat(message(0))
                .isEqualTo("A call was not made. Circuit breaker 'payments' is open: 1 call failed, the last with "
                        + "java.lang.IllegalStateException; open since 2026-01-01T00:00:00.000Z, next probe in 30 s");
        assertThat(message(1)).isEqualTo("Circuit breaker 'payments': in the last second also 999 rejected");
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
