package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLogTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final EventLog log = new EventLog();

    private List<Map<String, Object>> shown() {
        return log.of("circuit-breaker", "orders");
    }

    private void reject(Instant at) {
        log.onEvent(new CallRejected(at, "circuit-breaker", "orders", "rejected"));
    }

    private void finish(Instant at, RetryOutcome outcome) {
        log.onEvent(new RetryFinished(at, "orders", outcome, 3, Duration.ofSeconds(1)));
    }

    private void move(Instant at, CircuitState from, CircuitState to) {
        log.onEvent(new CircuitStateChanged(at, "orders", from, to, "why", null, 0, null));
    }

    @Test
    void aFloodOfRefusalsIsOneEntryASecond() {
        for (int i = 0; i < 3_000; i++) {
            reject(START.plusMillis(i));
        }

        assertThat(shown())
                .containsExactly(
                        Map.of(
                                "at",
                                "2026-01-01T00:00:02.999Z",
                                "type",
                                "call-rejected",
                                "count",
                                1000L,
                                "reason",
                                "rejected"),
                        Map.of(
                                "at",
                                "2026-01-01T00:00:01.999Z",
                                "type",
                                "call-rejected",
                                "count",
                                1000L,
                                "reason",
                                "rejected"),
                        Map.of(
                                "at",
                                "2026-01-01T00:00:00.999Z",
                                "type",
                                "call-rejected",
                                "count",
                                1000L,
                                "reason",
                                "rejected"));
    }

    @Test
    void transitionsOutliveTheFlood() {
        move(START, CircuitState.CLOSED, CircuitState.OPEN);
        for (int second = 0; second < 10_000; second++) {
            reject(START.plusSeconds(second));
        }

        assertThat(shown()).hasSize(100);
        assertThat(shown().get(99)).containsEntry("to", "OPEN").containsEntry("reason", "why");
        assertThat(shown().subList(0, 99))
                .allSatisfy(entry -> assertThat(entry).containsEntry("type", "call-rejected"));
    }

    @Test
    void halfOfTheEntriesAreTransitionsWhereThereAreMany() {
        for (int i = 0; i < 500; i++) {
            move(START.plusSeconds(i), CircuitState.CLOSED, CircuitState.FORCED_OPEN);
            reject(START.plusSeconds(i));
        }

        assertThat(shown()).hasSize(100);
        assertThat(shown().stream().filter(entry -> entry.containsKey("to"))).hasSize(50);
    }

    @Test
    void transitionsTakeTheRoomThatNothingElseNeeds() {
        for (int i = 0; i < 500; i++) {
            move(START.plusSeconds(i), CircuitState.CLOSED, CircuitState.FORCED_OPEN);
        }
        reject(START.plusSeconds(500));

        assertThat(shown()).hasSize(100);
        assertThat(shown().get(0)).containsEntry("type", "call-rejected");
        assertThat(shown().get(99)).containsEntry("at", "2026-01-01T00:06:41.000Z");
    }

    @Test
    void theNewestAreFirstThoughASecondOfRefusalsBeganBeforeATransition() {
        reject(START);
        move(START.plusMillis(100), CircuitState.OPEN, CircuitState.HALF_OPEN);
        assertThat(types()).containsExactly("state-changed", "call-rejected");

        reject(START.plusMillis(200));

        assertThat(types()).containsExactly("call-rejected", "state-changed");
    }

    @Test
    void theNewestAreFirstThoughTwoOutcomesAreCountedInOneSecond() {
        finish(START, RetryOutcome.EXHAUSTED);
        finish(START.plusMillis(100), RetryOutcome.NOT_RETRYABLE);
        finish(START.plusMillis(200), RetryOutcome.NOT_RETRYABLE);
        finish(START.plusMillis(300), RetryOutcome.EXHAUSTED);

        assertThat(log.of("retry", "orders"))
                .extracting(entry -> entry.get("at"))
                .containsExactly("2026-01-01T00:00:00.300Z", "2026-01-01T00:00:00.200Z");
    }

    @Test
    void aClockThatIsSetBackBeginsANewEntryOnTop() {
        reject(START);
        reject(START.minusSeconds(3600));

        assertThat(shown())
                .extracting(entry -> entry.get("at"))
                .containsExactly("2025-12-31T23:00:00.000Z", "2026-01-01T00:00:00.000Z");
    }

    @Test
    void anEventThatIsLateBeginsNoNewEntry() {
        reject(START.plusMillis(1000));
        reject(START.plusMillis(999));
        reject(START.plusMillis(1001));

        assertThat(shown()).hasSize(1);
        assertThat(shown().get(0)).containsEntry("count", 3L);
    }

    @Test
    void outcomesAreCountedApart() {
        for (int i = 0; i < 10; i++) {
            RetryOutcome outcome = i % 5 == 0 ? RetryOutcome.EXHAUSTED : RetryOutcome.SUCCESS_AFTER_RETRY;
            finish(START, outcome);
        }

        assertThat(log.of("retry", "orders"))
                .extracting(entry -> entry.get("outcome") + " " + entry.get("count"))
                .containsExactly("success_after_retry 8", "exhausted 2");
    }

    @Test
    void whatHasHadNoEventHasNoEntries() {
        reject(START);

        assertThat(log.of("circuit-breaker", "unknown")).isEmpty();
        assertThat(log.of("bulkhead", "orders")).isEmpty();
    }

    @Test
    void noEventOfManyThreadsIsLost() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<ResilienceEvent> events = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            events.add(new CallRejected(START.plusMillis(i / 10), "circuit-breaker", "orders", "rejected"));
        }
        for (int thread = 0; thread < 4; thread++) {
            threads.execute(() -> events.forEach(log::onEvent));
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();

        assertThat(shown()).hasSizeLessThanOrEqualTo(5);
        assertThat(shown().stream()
                        .mapToLong(entry -> (Long) entry.get("count"))
                        .sum())
                .isEqualTo(200_000);
    }

    private List<Object> types() {
        return shown().stream().map(entry -> entry.get("type")).toList();
    }
}
