package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.actuate.ActuatorTest.Order;
import dev.resilience.time.Timestamps;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
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
    void metricsOnlyLetsEveryCallThroughAndCountsThem() {
        long before = failures();
        assertState(post("orders", "metrics-only"), "METRICS_ONLY");

        callee.failNext(Integer.MAX_VALUE);
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(this::place).isInstanceOf(ConnectException.class);
        }
        assertThat(failures()).isEqualTo(before + 20);
        assertThat(post("orders", "metrics-only"))
                .bodyJson()
                .hasPathSatisfying(
                        "$.events[0].reason", value -> value.assertThat().isEqualTo("set to metrics-only by hand"));
    }

    @Test
    void resetGoesBackToTheStart() throws Exception {
        post("orders", "force-open");

        assertState(post("orders", "reset"), "CLOSED");

        assertThat(place()).startsWith("answer");
    }

    @Test
    void openOfABreakerThatIsOpenIsAnEventWithTheNewNextProbe() {
        post("orders", "open");
        time.advance(Duration.ofSeconds(20));

        assertThat(post("orders", "open"))
                .bodyJson()
                .hasPathSatisfying(
                        "$.events[0].from", value -> value.assertThat().isEqualTo("OPEN"))
                .hasPathSatisfying("$.events[0].to", value -> value.assertThat().isEqualTo("OPEN"))
                .hasPathSatisfying(
                        "$.events[0].reason", value -> value.assertThat().isEqualTo("opened by hand"))
                .hasPathSatisfying(
                        "$.events[0].nextProbe",
                        value -> value.assertThat()
                                .isEqualTo(Timestamps.text(time.now().plusSeconds(30))));
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
        assertThat(post("order", "close"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"error": "No circuit-breaker policy 'order'. Did you mean 'orders'?",
                         "names": ["default", "inspected", "orders"]}
                        """);
        assertThat(registry.circuitBreakers()).doesNotContainKey("unknown");
    }

    @Test
    void onAnUnknownKindAreNotFoundAndToldTheKinds() {
        assertThat(send("unknown/orders", "{\"action\": \"close\"}"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .extractingPath("$.kinds")
                .asArray()
                .contains("circuit-breaker", "retry");
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry", "bulkhead", "time-limit"})
    void onAKindWithoutActionsAreBadRequestsAndToldWhatCanBeActedOn(String kind) {
        assertThat(send(kind + "/orders", "{\"action\": \"close\"}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"error": "Policies of kind '%s' have no actions.",
                         "actions": {
                           "circuit-breaker": ["open", "half-open", "force-open", "close", "disable", "metrics-only", "reset"],
                           "idempotency": ["look-up", "resolve", "delete"],
                           "dead-letter": ["replay", "discard"]}}
                        """.formatted(kind));
    }

    @Test
    void thatDoNotExistAreToldTheOnesThatDo() {
        assertThat(post("orders", "half-opn"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .isStrictlyEqualTo("""
                        {"error": "No action 'half-opn'. Did you mean 'half-open'?",
                         "actions": ["open", "half-open", "force-open", "close", "disable", "metrics-only", "reset"]}
                        """);
        assertThat(send("idempotency/orders", "{\"action\": \"erase\", \"key\": \"4711\"}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.actions")
                .isEqualTo(List.of("look-up", "resolve", "delete"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"action\": null}", "{\"act\": \"close\"}"})
    void thatAreMissingAreAskedFor(String body) {
        assertThat(send("circuit-breaker/orders", body))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .hasPathSatisfying(
                        "$.error", error -> error.assertThat().asString().contains("{\"action\": \"...\"}"))
                .hasPathSatisfying(
                        "$.actions", actions -> actions.assertThat().asArray().contains("open"));
    }

    @Test
    void openRefusesForOneOpenPeriodAndThenProbes() throws Exception {
        assertState(post("orders", "open"), "OPEN");
        assertThatThrownBy(this::place).isInstanceOf(CircuitOpenException.class);

        time.advance(Duration.ofSeconds(30));
        assertThat(place()).startsWith("answer");
        assertThat(registry.circuitBreakers().get("orders").currentState()).hasToString("HALF_OPEN");
    }

    @Test
    void halfOpenProbesAtOnce() throws Exception {
        open();

        assertState(post("orders", "half-open"), "HALF_OPEN");

        place();
        place();
        assertThat(registry.circuitBreakers().get("orders").currentState()).hasToString("CLOSED");
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
