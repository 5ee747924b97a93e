package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.pipeline.Pipeline;
import dev.resilience.spring.actuate.ActuatorTest.Order;
import dev.resilience.time.Timestamps;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.test.json.JsonPathValueAssert;

@ActuatorTest
class EndpointEntryTests extends ManualTimeActuatorTest {

    @Test
    void showsTheSameAsTheOverviewAndTheEvents() {
        json("retry", "orders", "$").asMap().containsOnlyKeys("state", "usedBy", "actions", "policy", "events");
        json("retry", "orders", "$.policy.max-attempts").isEqualTo(4);
        json("circuit-breaker", "inspected", "$.policy.half-open.max-concurrent")
                .isEqualTo(3);
        json("circuit-breaker", "inspected", "$.policy.record-on-result").isEqualTo("#result == 'down'");
        json("retry", "kept", "$.policy.retry-on-result").isEqualTo("#result == 'later'");
        json("retry", "kept", "$.policy.retry-if").isEqualTo("everyFailure");
        json("retry", "kept", "$.policy.backoff.function").isEqualTo("slowly");
        json("circuit-breaker", "inspected", "$.events").isEqualTo(List.of());
    }

    @Test
    void showsTheEventsOfACallTheNewestFirst() throws Exception {
        String start = Timestamps.text(time.now());
        String afterOneSecond = Timestamps.text(time.now().plusSeconds(1));
        callee.failNext(1);
        orders.find(1, "all");

        json("retry", "orders", "$.events[0]")
                .isEqualTo(Map.of(
                        "at",
                        afterOneSecond,
                        "type",
                        "retry-finished",
                        "count",
                        1,
                        "outcome",
                        "success_after_retry",
                        "attempts",
                        2,
                        "duration",
                        "PT1S"));
        json("retry", "orders", "$.events[1]")
                .isEqualTo(Map.of(
                        "at",
                        start,
                        "type",
                        "retry-scheduled",
                        "count",
                        1,
                        "attempt",
                        1,
                        "maxAttempts",
                        4,
                        "delay",
                        "PT1S",
                        "errorType",
                        "java.net.ConnectException"));
    }

    @Test
    void showsWhatTheLastFailedCallEndedWith() {
        callee.failNext(Integer.MAX_VALUE);
        assertThatThrownBy(() -> orders.find(2, "all")).isInstanceOf(Exception.class);

        json("retry", "orders", "$.state.lastFailure")
                .asString()
                .matches("java.net.ConnectException: call \\d+ refused");
    }

    @Test
    void showsSinceWhenCallsFail() throws Exception {
        orders.find(3, "all");
        callee.failNext(Integer.MAX_VALUE);
        String firstFailure = Timestamps.text(time.now());
        assertThatThrownBy(() -> orders.find(3, "all")).isInstanceOf(Exception.class);
        assertThatThrownBy(() -> orders.find(3, "all")).isInstanceOf(Exception.class);
        String lastFailure = Timestamps.text(time.now());

        json("retry", "orders", "$.state.failingSince").isEqualTo(firstFailure);
        json("retry", "orders", "$.state.lastFailureAt").isEqualTo(lastFailure).isNotEqualTo(firstFailure);

        callee.failNext(0);
        orders.find(3, "all");

        json("retry", "orders", "$.state.lastFailureAt").isEqualTo(lastFailure);
        assertThat(mvc.get().uri("/actuator/resilience/retry/orders"))
                .bodyJson()
                .doesNotHavePath("$.state.failingSince");
    }

    @Test
    void showsCallsThatFailWithoutARetryCountedByTheSecond() {
        Pipeline retried = Pipeline.of(registry.retries().get("orders"));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> retried.call(() -> {
                        throw new IllegalArgumentException("no such order");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }

        json("retry", "orders", "$.events[0]")
                .isEqualTo(Map.of(
                        "at",
                        Timestamps.text(time.now()),
                        "type",
                        "retry-finished",
                        "count",
                        3,
                        "outcome",
                        "not_retryable",
                        "attempts",
                        1,
                        "duration",
                        "PT0S"));
    }

    @Test
    void showsHowACircuitBreakerOpenedAndRefused() {
        callee.failNext(Integer.MAX_VALUE);
        for (int i = 0; i < 3; i++) {
            int id = 100 + i;
            assertThatThrownBy(() -> orders.place(new Order(id))).isInstanceOf(Exception.class);
        }

        String opened = Timestamps.text(time.now());
        json("circuit-breaker", "orders", "$.state.state").isEqualTo("OPEN");
        json("circuit-breaker", "orders", "$.state.since").isEqualTo(opened);
        json("circuit-breaker", "orders", "$.state.openedAt").isEqualTo(opened);
        json("circuit-breaker", "orders", "$.state.reason").isEqualTo("2 calls in a row failed");
        json("circuit-breaker", "orders", "$.state.lastFailure")
                .asString()
                .matches("java.net.ConnectException: call \\d+ refused");
        assertThat(mvc.get().uri("/actuator/resilience"))
                .bodyJson()
                .extractingPath("$.trouble")
                .asArray()
                .contains("circuit-breaker/orders", "retry/orders")
                .doesNotContain("bulkhead/orders", "retry/default");
        json("circuit-breaker", "orders", "$.state.nextProbe")
                .isEqualTo(Timestamps.text(time.now().plusSeconds(30)));
        json("circuit-breaker", "orders", "$.state.probeDue").isEqualTo(false);
        json("circuit-breaker", "orders", "$.state.failedProbes").isEqualTo(0);
        json("circuit-breaker", "orders", "$.state.refused").isEqualTo(1);
        json("circuit-breaker", "orders", "$.state.failureRate").isEqualTo(1.0);
        json("circuit-breaker", "orders", "$.state.windowCalls").isEqualTo(2);
        json("circuit-breaker", "orders", "$.events[0].type").isEqualTo("call-rejected");
        json("circuit-breaker", "orders", "$.events[1].type").isEqualTo("state-changed");
        json("circuit-breaker", "orders", "$.events[1].from").isEqualTo("CLOSED");
        json("circuit-breaker", "orders", "$.events[1].to").isEqualTo("OPEN");
        json("circuit-breaker", "orders", "$.events[1].reason").isEqualTo("2 calls in a row failed");
        json("idempotency", "orders", "$.events[0].type").isEqualTo("call-released");
    }

    @Test
    void showsAProbeThatIsDueAndAProbingUnderWay() throws Exception {
        callee.failNext(Integer.MAX_VALUE);
        for (int i = 0; i < 2; i++) {
            int id = 200 + i;
            assertThatThrownBy(() -> orders.place(new Order(id))).isInstanceOf(ConnectException.class);
        }
        callee.failNext(0);
        time.advance(Duration.ofSeconds(31));
        json("circuit-breaker", "orders", "$.state.state").isEqualTo("OPEN");
        json("circuit-breaker", "orders", "$.state.probeDue").isEqualTo(true);

        orders.place(new Order(202));

        json("circuit-breaker", "orders", "$.state.state").isEqualTo("HALF_OPEN");
        json("circuit-breaker", "orders", "$.state.probes")
                .isEqualTo(Map.of("inFlight", 0, "maxConcurrent", 1, "succeeded", 1, "successThreshold", 2));
        assertThat(mvc.get().uri("/actuator/resilience/circuit-breaker/orders"))
                .bodyJson()
                .doesNotHavePath("$.state.nextProbe");
    }

    @Test
    void keepsTheLastHundredEvents() {
        callee.failNext(Integer.MAX_VALUE);
        for (int i = 0; i < 60; i++) {
            assertThatThrownBy(() -> orders.find(1, "all")).isInstanceOf(ConnectException.class);
            time.advance(Duration.ofMinutes(1));
        }

        json("retry", "orders", "$.events").asArray().hasSize(100);
        json("retry", "orders", "$.events[0].outcome").isEqualTo("exhausted");
    }

    @Test
    void neverShowsArgumentsOrKeys() throws Exception {
        callee.failNext(1);
        orders.place(new Order(4711));

        for (String kind : List.of("retry", "circuit-breaker", "bulkhead", "time-limit", "idempotency")) {
            assertThat(mvc.get().uri("/actuator/resilience/" + kind + "/orders"))
                    .bodyText()
                    .doesNotContain("4711");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/retry/unknown",
                "/unknown/orders",
                "/circuitBreaker/orders",
                "/RETRY/orders",
                "/time-limit/unknown",
                "/retries"
            })
    void isNotFoundForWhatDoesNotExist(String path) {
        assertThat(mvc.get().uri("/actuator/resilience" + path)).hasStatus(HttpStatus.NOT_FOUND);
    }

    @Test
    void forAnUnknownNameOrKindTellsWhatThereIs() {
        assertThat(mvc.get().uri("/actuator/resilience/bulkhead/oders"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"error": "No bulkhead policy 'oders'. Did you mean 'orders'?", "names": ["default", "orders"]}
                        """);
        assertThat(mvc.get().uri("/actuator/resilience/circuitbreaker"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"error": "No kind 'circuitbreaker'. Did you mean 'circuit-breaker'?",
                         "kinds": ["bulkhead", "circuit-breaker", "dead-letter", "hedge", "http-client", "idempotency", "rate-limit", "retry", "retry-budget", "time-limit"]}
                        """);
    }

    @Test
    void makesNothingByBeingRead() {
        mvc.get().uri("/actuator/resilience/retry/invented").exchange();
        mvc.get().uri("/actuator/resilience/circuit-breaker/invented").exchange();

        assertThat(registry.retries()).doesNotContainKey("invented");
        assertThat(registry.circuitBreakers()).doesNotContainKey("invented");
        assertThat(mvc.get().uri("/actuator/resilience")).bodyText().doesNotContain("invented");
    }

    private JsonPathValueAssert json(String kind, String name, String path) {
        return assertThat(mvc.get().uri("/actuator/resilience/" + kind + "/" + name))
                .hasStatus(HttpStatus.OK)
                .bodyJson()
                .extractingPath(path);
    }
}
