package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.actuate.ActuatorTest.Order;
import java.net.ConnectException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@ActuatorTest
class EndpointActionsTests extends ManualTimeActuatorTest {

    private static int orderId = 1000;

    @Test
    void forceOpenRefusesEveryCallHoweverLongItTakes() {
        assertState(post("orders", "force-open"), "FORCED_OPEN");

        time.advance(Duration.ofDays(1));
        assertThatThrownBy(this::place).isInstanceOf(CircuitOpenException.class);
    }

    @Test
    void closeLetsCallsThroughAgain() throws Exception {
        open();

        assertState(post("orders", "close"), "CLOSED");

        assertThat(place()).startsWith("answer");
    }

    @Test
    void closeForgetsTheFailuresBefore() {
        callee.failNext(Integer.MAX_VALUE);
        assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);

        post("orders", "close");

        assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);
        assertThat(registry.circuitBreakers().get("orders").currentState()).hasToString("CLOSED");
    }

    @Test
    void disableLetsEveryCallThroughAndCountsNothing() {
        long before = failures();
        assertState(post("orders", "disable"), "DISABLED");

        callee.failNext(Integer.MAX_VALUE);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);
        }
        assertThat(failures()).isEqualTo(before);
    }

    @Test
    void resetGoesBackToTheStart() throws Exception {
        post("orders", "force-open");

        assertState(post("orders", "reset"), "CLOSED");

        assertThat(place()).startsWith("answer");
    }

    @Test
    void theAnswerIsTheNewEntryWithTheEventOfTheChange() {
        assertThat(post("orders", "force-open"))
                .bodyJson()
                .hasPathSatisfying(
                        "$.policy.failure-threshold",
                        value -> value.assertThat().isEqualTo(2))
                .hasPathSatisfying("$.events[0].to", value -> value.assertThat().isEqualTo("FORCED_OPEN"))
                .hasPathSatisfying("$.usedBy[0]", value -> value.assertThat().isEqualTo("OrderService.place(Order)"));
    }

    @Test
    void onACircuitBreakerThatDoesNotExistAreNotFound() {
        assertThat(post("unknown", "close")).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(registry.circuitBreakers()).doesNotContainKey("unknown");
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry/orders", "bulkhead/orders", "unknown/orders"})
    void onAnythingElseAreNotFound(String path) {
        assertThat(send(path, "{\"action\": \"close\"}")).hasStatus(HttpStatus.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"action\": \"explode\"}",
                "{\"action\": \"FORCE-OPEN\"}",
                "{\"action\": \"\"}",
                "{\"action\": null}",
                "{}",
                "{\"act\": \"close\"}",
                "[]",
                "\"close\"",
                "close",
                "{\"action\":",
                ""
            })
    void thatMakeNoSenseAreBadRequestsAndChangeNothing(String body) {
        assertThat(send("circuit-breaker/orders", body)).hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(registry.circuitBreakers().get("orders").currentState()).hasToString("CLOSED");
    }

    @Test
    void onAnUnknownNameAreNotFoundRatherThanBad() {
        assertThat(send("circuit-breaker/unknown", "{\"action\": \"explode\"}")).hasStatus(HttpStatus.NOT_FOUND);
    }

    private void open() {
        callee.failNext(Integer.MAX_VALUE);
        assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);
        assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);
        assertThatThrownBy(this::place).isInstanceOf(CircuitOpenException.class);
        callee.failNext(0);
    }

    private String place() throws ConnectException {
        return orders.place(new Order(orderId++));
    }

    private long failures() {
        return registry.circuitBreakers().get("orders").calls().get(CircuitBreakerOutcome.FAILURE);
    }

    private void assertState(MvcTestResult answer, String state) {
        assertThat(answer)
                .hasStatus(HttpStatus.OK)
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo(state);
        assertThat(mvc.get().uri("/actuator/resilience/circuit-breaker/orders"))
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo(state);
    }

    private MvcTestResult post(String name, String action) {
        return send("circuit-breaker/" + name, "{\"action\": \"" + action + "\"}");
    }

    private MvcTestResult send(String path, String body) {
        return mvc.post()
                .uri("/actuator/resilience/" + path)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }
}
