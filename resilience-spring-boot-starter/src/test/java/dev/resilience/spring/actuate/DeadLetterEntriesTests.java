package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.deadletter.MemoryDeadLetterStore;
import java.io.UnsupportedEncodingException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** What operators see of dead letters, and do with them. */
@ActuatorTest
class DeadLetterEntriesTests extends ManualTimeActuatorTest {

    private static final String URI = "/actuator/resilience/dead-letter";

    @Autowired
    DeadLetterStore store;

    @BeforeEach
    void none() {
        store.list("kept", 100)
                .forEach(found -> store.discard("kept", found.letter().id()));
    }

    private String lose() {
        callee.failNext(3);
        assertThatThrownBy(() -> orders.keep("a secret")).isInstanceOf(ConnectException.class);
        List<StoredLetter> stored = store.list("kept", 100);
        return stored.get(stored.size() - 1).letter().id();
    }

    private MvcTestResult get(String path) {
        return mvc.get().uri(URI + path).exchange();
    }

    private MvcTestResult post(Map<String, String> body) {
        String json = body.entrySet().stream()
                .map(entry -> "\"" + entry.getKey() + "\": \"" + entry.getValue() + "\"")
                .toList()
                .toString();
        return mvc.post()
                .uri(URI + "/kept")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{" + json.substring(1, json.length() - 1) + "}")
                .exchange();
    }

    @Test
    void aLetterThatThisApplicationCannotReadSaysWhy() {
        store.store(
                new DeadLetter("id", "kept", "b", "A.b()", new byte[0], new LetterFailure("a.B", "secret?"), 3),
                Duration.ZERO);

        MvcTestResult answer = get("/kept");

        assertThat(json(answer, "$.letters[0].unreadable")).asString().contains("no such method");
        assertThat(json(post(Map.of("action", "replay", "id", "id")), "$.result"))
                .isEqualTo("not-made");
    }

    private static Object json(MvcTestResult answer, String path) {
        try {
            return JsonPath.read(answer.getResponse().getContentAsString(), path);
        } catch (UnsupportedEncodingException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void lettersAreListedWithoutTheirArguments() throws Exception {
        String id = lose();

        MvcTestResult answer = get("/kept");

        assertThat(answer).hasStatusOk();
        assertThat(json(answer, "$.letters[0].id")).isEqualTo(id);
        assertThat(json(answer, "$.letters[0].method"))
                .isEqualTo("dev.resilience.spring.actuate.ActuatorTest$OrderService.keep(java.lang.String)");
        assertThat(json(answer, "$.letters[0].state")).isEqualTo("WAITING");
        assertThat(json(answer, "$.letters[0].attempts")).isEqualTo(3);
        assertThat(json(answer, "$.letters[0].failure.type")).isEqualTo(ConnectException.class.getName());
        assertThat(json(answer, "$.state.size")).isEqualTo(1);
        assertThat(json(answer, "$.policy.replay")).isEqualTo("manual");
        assertThat(json(answer, "$.usedBy")).isEqualTo(List.of("OrderService.keep(String)"));
        assertThat(answer.getResponse().getContentAsString()).doesNotContain("secret");
        assertThat(json(get(""), "$.kept.state.size")).isEqualTo(1);
        assertThat(json(mvc.get().uri("/actuator/resilience").exchange(), "$['dead-letter'].kept.state.size"))
                .isEqualTo(1);
    }

    private Object trouble() {
        return json(mvc.get().uri("/actuator/resilience").exchange(), "$.trouble[?(@ =~ /dead-letter.*/)]");
    }

    @Test
    void aPolicyIsInTroubleFromACallThatIsLostToOneThatIsKept() {
        String id = lose();
        assertThat(trouble()).isEqualTo(List.of());

        int spare = 8 * 1024;
        store.store(
                new DeadLetter(
                        "large",
                        "kept",
                        "b",
                        "A.b()",
                        new byte[(int) MemoryDeadLetterStore.DEFAULT_MAX_BYTES - spare],
                        new LetterFailure("a.B", ""),
                        3),
                Duration.ZERO);
        callee.failNext(3);
        assertThatThrownBy(() -> orders.keep("x".repeat(spare))).isInstanceOf(ConnectException.class);
        assertThat(trouble()).isEqualTo(List.of("dead-letter/kept"));

        post(Map.of("action", "discard", "id", "large"));
        assertThat(lose()).isNotEqualTo(id);
        assertThat(trouble()).isEqualTo(List.of());
    }

    @Test
    void aLetterIsReplayed() {
        String id = lose();
        int before = callee.calls();

        MvcTestResult answer = post(Map.of("action", "replay", "id", id));

        assertThat(answer).hasStatusOk();
        assertThat(json(answer, "$.result")).isEqualTo("succeeded");
        assertThat(callee.calls()).isEqualTo(before + 1);
        assertThat(store.find("kept", id)).isNull();
    }

    @Test
    void allAreReplayedInTheBackground() {
        lose();
        lose();
        store.store(
                new DeadLetter("unreadable", "kept", "b", "A.b()", new byte[0], new LetterFailure("a.B", ""), 3),
                Duration.ZERO);
        lose();
        int before = callee.calls();

        MvcTestResult answer = postAll("replay");

        assertThat(answer).hasStatusOk();
        assertThat(json(answer, "$.letters")).isEqualTo(4);
        time.advance(Duration.ofSeconds(1));
        assertThat(callee.calls()).isEqualTo(before + 3);
        assertThat(store.list("kept", 100))
                .extracting(found -> found.letter().id())
                .containsExactly("unreadable");
    }

    @Test
    void allAreDiscardedInTheBackground() {
        lose();
        lose();
        int before = callee.calls();

        assertThat(postAll("discard")).hasStatusOk();

        time.advance(Duration.ofSeconds(1));
        assertThat(store.list("kept", 100)).isEmpty();
        assertThat(callee.calls()).isEqualTo(before);
    }

    private MvcTestResult postAll(String action) {
        return send("dead-letter/kept", "{\"action\": \"" + action + "\", \"all\": true}");
    }

    private MvcTestResult send(String path, String body) {
        return mvc.post()
                .uri("/actuator/resilience/" + path)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"id\": \"4711\"",
                "\"key\": \"4711\"",
                "\"method\": \"keep\"",
                "\"caller\": \"alice\"",
                "\"as\": \"executed\"",
                "\"policy\": {\"max-attempts\": 1}",
                "\"policy\": \"{}\"",
                "\"limit\": 1",
                "\"unknown\": 1"
            })
    void allAreLeftAloneIfTheRequestSaysMoreThanThat(String more) {
        lose();
        int before = callee.calls();

        for (String action : List.of("replay", "discard")) {
            MvcTestResult answer =
                    send("dead-letter/kept", "{\"action\": \"" + action + "\", \"all\": true, " + more + "}");

            assertThat(answer).hasStatus(HttpStatus.BAD_REQUEST);
            assertThat(json(answer, "$.reason")).asString().contains("all");
        }
        time.advance(Duration.ofSeconds(1));
        assertThat(callee.calls()).isEqualTo(before);
        assertThat(store.list("kept", 100)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"id\": \"4711\"", "\"all\": true", "\"al\": true"})
    void otherKindsDoNotTakeTheFieldsOfLetters(String field) {
        assertThat(send("circuit-breaker/inspected", "{\"action\": \"force-open\", " + field + "}"))
                .hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(send("circuit-breaker/inspected", "{\"policy\": {\"minimum-calls\": 7}, " + field + "}"))
                .hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(registry.circuitBreakers().get("inspected").currentState()).hasToString("CLOSED");
        assertThat(registry.circuitBreakers().get("inspected").policy().minimumCalls())
                .isEqualTo(10);
    }

    @Test
    void aReplayThatFailsSaysWhy() {
        String id = lose();
        callee.failNext(3);

        MvcTestResult answer = post(Map.of("action", "replay", "id", id));

        assertThat(answer).hasStatusOk();
        assertThat(json(answer, "$.result")).isEqualTo("failed");
        assertThat(json(answer, "$.failure.type")).isEqualTo(ConnectException.class.getName());
        assertThat(Objects.requireNonNull(store.find("kept", id)).state()).isEqualTo(StoredLetter.State.FAILED);
    }

    @Test
    void aLetterIsDiscarded() {
        String id = lose();

        assertThat(json(post(Map.of("action", "discard", "id", id)), "$.result"))
                .isEqualTo("discarded");

        assertThat(store.find("kept", id)).isNull();
    }

    @Test
    void aLetterThatIsBeingReplayedIsLeftAlone() {
        String id = lose();
        store.claim("kept", id, Duration.ofHours(1));

        for (String action : List.of("replay", "discard")) {
            assertThat(post(Map.of("action", action, "id", id))).hasStatus(HttpStatus.CONFLICT);
        }
        time.advance(Duration.ofHours(2));
        assertThat(post(Map.of("action", "discard", "id", id))).hasStatusOk();
    }

    @Test
    void whatDoesNotExistIsAnsweredWithWhatDoes() {
        String id = lose();

        MvcTestResult noLetter = post(Map.of("action", "replay", "id", "other"));
        assertThat(noLetter).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(json(noLetter, "$.ids")).isEqualTo(List.of(id));
        assertThat(post(Map.of("action", "replay"))).hasStatus(HttpStatus.BAD_REQUEST);
        MvcTestResult noAction = post(Map.of("action", "resend", "id", id));
        assertThat(noAction).hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(json(noAction, "$.actions")).isEqualTo(List.of("replay", "discard"));
        MvcTestResult noPolicy = get("/orders");
        assertThat(noPolicy).hasStatus(HttpStatus.NOT_FOUND);
        assertThat(json(noPolicy, "$.names")).isEqualTo(List.of("kept"));
    }
}
