package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CallTimedOut;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyChanged;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What people and machines read in the actuator: kinds as in YAML, types in kebab case, durations as ISO-8601. */
class EventDetailsTests {

    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @MethodSource
    void anEventTellsWhatHappenedToWhom(ResilienceEvent event, String kind, String type, Map<String, Object> details) {
        assertThat(event.at()).isEqualTo(AT);
        assertThat(event.name()).isEqualTo("orders");
        assertThat(event.kind()).isEqualTo(kind);
        assertThat(event.type()).isEqualTo(type);
        assertThat(EventLog.details(event).entrySet()).containsExactlyElementsOf(details.entrySet());
    }

    static Stream<Arguments> anEventTellsWhatHappenedToWhom() {
        return Stream.of(
                argumentSet(
                        "policy made by code",
                        new PolicyAdded(AT, "retry", "orders"),
                        "retry",
                        "policy-added",
                        inOrder()),
                argumentSet(
                        "policy removed",
                        new PolicyRemoved(AT, "retry", "orders"),
                        "retry",
                        "policy-removed",
                        inOrder()),
                argumentSet(
                        "policy changed",
                        new PolicyChanged(AT, "bulkhead", "orders", "endpoint", Map.of("max-concurrent", "20")),
                        "bulkhead",
                        "policy-changed",
                        inOrder("by", "endpoint", "changed", Map.of("max-concurrent", "20"))),
                argumentSet(
                        "retry after a failure",
                        new RetryScheduled(AT, "orders", 1, 3, Duration.ofMillis(1500), new ConnectException("secret")),
                        "retry",
                        "retry-scheduled",
                        inOrder(
                                "attempt",
                                1,
                                "maxAttempts",
                                3,
                                "delay",
                                "PT1.5S",
                                "errorType",
                                "java.net.ConnectException")),
                argumentSet(
                        "retry after a result",
                        new RetryScheduled(AT, "orders", 2, 3, Duration.ZERO, null),
                        "retry",
                        "retry-scheduled",
                        inOrder("attempt", 2, "maxAttempts", 3, "delay", "PT0S", "errorType", "result")),
                argumentSet(
                        "end of a retried call",
                        new RetryFinished(AT, "orders", RetryOutcome.OUT_OF_TIME, 2, Duration.ofSeconds(3)),
                        "retry",
                        "retry-finished",
                        inOrder("outcome", "out_of_time", "attempts", 2, "duration", "PT3S")),
                argumentSet(
                        "transition",
                        new CircuitStateChanged(AT, "orders", CircuitState.OPEN, CircuitState.HALF_OPEN),
                        "circuit-breaker",
                        "state-changed",
                        inOrder("from", "OPEN", "to", "HALF_OPEN")),
                argumentSet(
                        "transition with its reason",
                        new CircuitStateChanged(
                                AT,
                                "orders",
                                CircuitState.HALF_OPEN,
                                CircuitState.OPEN,
                                "a probe failed",
                                "java.net.ConnectException",
                                3,
                                AT.plusSeconds(30)),
                        "circuit-breaker",
                        "state-changed",
                        inOrder(
                                "from",
                                "HALF_OPEN",
                                "to",
                                "OPEN",
                                "reason",
                                "a probe failed",
                                "lastFailure",
                                "java.net.ConnectException",
                                "failedProbes",
                                3,
                                "nextProbe",
                                "2026-01-01T00:00:30.000Z")),
                argumentSet(
                        "rejection",
                        new CallRejected(AT, "bulkhead", "orders", "timed_out"),
                        "bulkhead",
                        "call-rejected",
                        inOrder("reason", "timed_out")),
                argumentSet(
                        "wait in a queue",
                        new CallQueued(AT, "orders", BulkheadOutcome.ACCEPTED, Duration.ofMillis(20)),
                        "bulkhead",
                        "call-queued",
                        inOrder("outcome", "accepted", "waited", "PT0.02S")),
                argumentSet(
                        "time limit",
                        new CallTimedOut(AT, "orders", Duration.ofSeconds(5)),
                        "time-limit",
                        "call-timed-out",
                        inOrder("timeout", "PT5S")),
                argumentSet(
                        "idempotency",
                        new IdempotencyDecided(AT, "orders", IdempotencyOutcome.TAKEN_OVER),
                        "idempotency",
                        "call-taken-over",
                        inOrder("outcome", "taken_over")));
    }

    private static Map<String, Object> inOrder(Object... keysAndValues) {
        Map<String, Object> ordered = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            ordered.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return ordered;
    }
}
