package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.spring.actuate.ActuatorTest.Order;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** What operators do with the records of a key. */
@ActuatorTest
class IdempotencyActionsTests extends ManualTimeActuatorTest {

    private static final AtomicInteger KEYS = new AtomicInteger(50_000);
    private static final String METHOD =
            "dev.resilience.spring.actuate.ActuatorTest$OrderService.place(dev.resilience.spring.actuate.ActuatorTest$Order)";

    @Autowired
    IdempotencyStore store;

    private final int id = KEYS.incrementAndGet();

    private MvcTestResult post(String body) {
        return mvc.post()
                .uri("/actuator/resilience/idempotency/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .content(body.replace("KEY", String.valueOf(id)))
                .exchange();
    }

    private static void assertRecords(MvcTestResult answer, Object... states) {
        assertThat(answer)
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.records[*].state")
                .isEqualTo(List.of(states));
    }

    private void abandon() {
        store.claim(new ClaimRequest(
                RecordKey.of(METHOD, "", String.valueOf(id)),
                "dead",
                "",
                Duration.ofSeconds(1),
                Duration.ofDays(1),
                false));
        time.advance(Duration.ofSeconds(2));
    }

    @Test
    void aKeyIsLookedUpWithoutItsKeyOrItsResultBeingShown() throws ConnectException {
        orders.place(new Order(id));

        MvcTestResult answer = post("{\"action\": \"look-up\", \"key\": \"KEY\"}");

        assertRecords(answer, "COMPLETED");
        assertThat(answer).bodyJson().extractingPath("$.records[0].method").isEqualTo("OrderService.place(Order)");
        assertThat(answer).bodyJson().extractingPath("$.records[0].left").isEqualTo("PT24H");
        assertThat(answer).bodyText().doesNotContain(String.valueOf(id), "answer");
    }

    @Test
    void anUnknownKeyHasNoRecords() {
        assertRecords(post("{\"action\": \"look-up\", \"key\": \"KEY\"}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", \"method\": \"OrderService.place(Order)\"", ", \"caller\": \"\""})
    void whatIsDeletedRunsAgain(String narrowed) throws ConnectException {
        Object first = orders.place(new Order(id));

        MvcTestResult answer = post("{\"action\": \"delete\", \"key\": \"KEY\"" + narrowed + "}");

        assertThat(answer).bodyJson().extractingPath("$.deleted").isEqualTo(1);
        assertRecords(answer);
        assertThat(orders.place(new Order(id))).isNotEqualTo(first);
    }

    @Test
    void aCallerThatNobodyCanTypeIsNamedAsTheEndpointShowsIt() {
        for (String caller : List.of("issuer\nalice", "issuer\nbob")) {
            RecordKey key = RecordKey.of(METHOD, caller, String.valueOf(id));
            store.claim(new ClaimRequest(key, "dead", "", Duration.ofSeconds(1), Duration.ofDays(1), false));
        }
        time.advance(Duration.ofSeconds(2));
        String alice = RecordKey.of(METHOD, "issuer\nalice", String.valueOf(id)).callerHash();
        String named = "\"key\": \"KEY\", \"caller\": \"" + alice + "\"}";

        assertThat(post("{\"action\": \"look-up\", \"key\": \"KEY\"}"))
                .bodyJson()
                .extractingPath("$.records[*].caller")
                .asArray()
                .hasSize(2)
                .contains(alice);
        assertRecords(post("{\"action\": \"look-up\", " + named), "ABANDONED");
        assertThat(post("{\"action\": \"resolve\", \"as\": \"executed\", " + named))
                .bodyJson()
                .extractingPath("$.resolved")
                .isEqualTo(1);
        assertThat(post("{\"action\": \"delete\", " + named))
                .bodyJson()
                .extractingPath("$.deleted")
                .isEqualTo(1);
    }

    @Test
    void ofAnotherCallerNothingIsDeleted() throws ConnectException {
        orders.place(new Order(id));

        MvcTestResult answer = post("{\"action\": \"delete\", \"key\": \"KEY\", \"caller\": \"alice\"}");

        assertThat(answer).bodyJson().extractingPath("$.deleted").isEqualTo(0);
    }

    @Test
    void whatWasExecutedIsRefused() {
        abandon();

        MvcTestResult answer = post("{\"action\": \"resolve\", \"key\": \"KEY\", \"as\": \"executed\"}");

        assertThat(answer).bodyJson().extractingPath("$.resolved").isEqualTo(1);
        assertRecords(answer, "EXECUTED");
        assertThatThrownBy(() -> orders.place(new Order(id))).hasMessageContaining("had its effect");
    }

    @Test
    void whatWasNotExecutedRuns() throws ConnectException {
        abandon();

        MvcTestResult answer = post("{\"action\": \"resolve\", \"key\": \"KEY\", \"as\": \"not-executed\"}");

        assertThat(answer).bodyJson().extractingPath("$.resolved").isEqualTo(1);
        assertRecords(answer);
        assertThat(orders.place(new Order(id))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"action\": \"look-up\"}",
                "{\"action\": \"look-up\", \"key\": \"\"}",
                "{\"action\": \"burn\", \"key\": \"KEY\"}",
                "{\"action\": \"resolve\", \"key\": \"KEY\"}",
                "{\"action\": \"resolve\", \"key\": \"KEY\", \"as\": \"maybe\"}",
                "{\"action\": \"look-up\", \"key\": \"KEY\", \"method\": \"OrderService.plaec(Order)\"}"
            })
    void whatCannotBeIsRefused(String body) {
        assertThat(post(body)).hasStatus(HttpStatus.BAD_REQUEST);
    }

    @Test
    void anAnswerSaysWhatIsMissingAndWhatIsWrong() {
        assertThat(post("{\"action\": \"resolve\", \"key\": \"KEY\"}"))
                .bodyJson()
                .extractingPath("$.error")
                .isEqualTo("No 'as'");
        assertThat(post("{\"action\": \"resolve\", \"key\": \"KEY\", \"as\": \"maybe\"}"))
                .bodyJson()
                .extractingPath("$.error")
                .isEqualTo("'as' cannot be 'maybe'");
    }

    @Test
    void aPolicyThatDoesNotExistIsNotFound() {
        assertThat(mvc.post()
                        .uri("/actuator/resilience/idempotency/nobody")
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"action\": \"look-up\", \"key\": \"k\"}"))
                .hasStatus(HttpStatus.NOT_FOUND);
    }
}
