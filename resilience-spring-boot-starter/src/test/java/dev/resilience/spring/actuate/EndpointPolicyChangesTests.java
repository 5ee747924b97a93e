package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.time.Timestamps;
import java.io.UnsupportedEncodingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

@ActuatorTest
class EndpointPolicyChangesTests extends ManualTimeActuatorTest {

    @AfterEach
    void asItIsConfigured() {
        registry.reconfigure(
                Bulkhead.class,
                "orders",
                BulkheadPolicy.builder().maxConcurrent(7).build());
    }

    @Test
    void theAnswerIsTheNewEntryWithTheEventOfTheChange() {
        assertThat(post("bulkhead/orders", "{\"policy\": {\"max-concurrent\": 3, \"queue-timeout\": \"2s\"}}"))
                .hasStatusOk()
                .bodyJson()
                .hasPathSatisfying(
                        "$.policy.max-concurrent", value -> value.assertThat().isEqualTo(3))
                .hasPathSatisfying(
                        "$.policy.queue-timeout", value -> value.assertThat().isEqualTo("PT2S"))
                .hasPathSatisfying("$.state.limit", value -> value.assertThat().isEqualTo(3))
                .hasPathSatisfying(
                        "$.events[0]",
                        value -> value.assertThat()
                                .isEqualTo(Map.of(
                                        "at",
                                        Timestamps.text(time.now()),
                                        "type",
                                        "policy-changed",
                                        "by",
                                        "endpoint",
                                        "changed",
                                        Map.of("max-concurrent", "3", "queue-timeout", "PT2S"))));
        assertThat(registry.bulkhead("orders").policy().queueTimeout()).isEqualTo(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"max-concurent\": 3} | has no key 'max-concurent' | Did you mean 'max-concurrent' or",
                "{\"max-concurrent\": 0} | must be at least 1 | must be at least 1",
                "{\"max-concurrent\": \"many\"} | many | whole number",
                "{\"max-concurrent\": 2.5} | 2.5 | whole number",
                "{\"max-concurrent\": {\"of\": 3}} | has no key 'max-concurrent.of' | Correct or remove",
                "{\"max-concurrent\": [3]} | has a list | one value",
                "{\"max-concurrent\": null} | it has no value | Write a value",
                "{\"extends\": \"other\"} | The key 'extends' of the bulkhead policy 'orders' cannot change | restart"
            })
    void aProblemIsABadRequestAndChangesNothing(String policy, String error, String reason) {
        assertThat(post("bulkhead/orders", "{\"policy\": " + policy + "}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .hasPathSatisfying(
                        "$.error",
                        value -> value.assertThat()
                                .asString()
                                .contains(error)
                                .doesNotContain("\n")
                                .doesNotContain("Failed to bind"))
                .hasPathSatisfying(
                        "$.reason", value -> value.assertThat().asString().contains(reason));
        assertThat(registry.bulkhead("orders").policy().maxConcurrent()).isEqualTo(7);
    }

    @Test
    void aValueThatDoesNotBindIsReportedInOneLine() {
        assertThat(post("bulkhead/orders", "{\"policy\": {\"max-concurrent\": \"many\"}}"))
                .bodyJson()
                .extractingPath("$.error")
                .isEqualTo("resilience.bulkhead.orders.max-concurrent = many: 'many' is not a whole number of at most "
                        + "2147483647");
    }

    @Test
    void ofManyProblemsTheFirstTenAreNamed() {
        String unknown =
                IntStream.range(0, 1_000).mapToObj(i -> "\"a" + i + "\": 1").collect(Collectors.joining(","));

        assertThat(post("bulkhead/orders", "{\"policy\": {" + unknown + "}}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.error")
                .asString()
                .contains("'a9'")
                .doesNotContain("'a10'")
                .endsWith("; and 990 more");
    }

    @Test
    void aBodyOfMoreThan64KilobytesIsRefused() {
        String policy = "{\"policy\": {\"max-concurrent\": 3}" + " ".repeat(65_536) + "}";

        assertThat(post("bulkhead/orders", policy)).hasStatus(HttpStatus.CONTENT_TOO_LARGE);
        assertThat(registry.bulkhead("orders").policy().maxConcurrent()).isEqualTo(7);
    }

    @Test
    void aListOfMoreThanAHundredIsRefusedBeforeItIsRead() {
        String names = IntStream.range(0, 101).mapToObj(i -> "\"a.B" + i + "\"").collect(Collectors.joining(","));

        assertThat(post("retry/orders", "{\"policy\": {\"retry-on\": [" + names + "]}}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.error")
                .asString()
                .contains("101 elements")
                .doesNotContain("a.B1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e-999999999", "\"1e-999999999\"", "0.1E-0400"})
    void aNumberThatIsAlmostZeroIsNotZero(String number) {
        double before = registry.circuitBreaker("orders").policy().failureRateThreshold();

        assertThat(post("circuit-breaker/orders", "{\"policy\": {\"failure-rate-threshold\": " + number + "}}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("a number that is almost zero");
        assertThat(registry.circuitBreaker("orders").policy().failureRateThreshold())
                .isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loggers/some.logger | null | 204 | ''",
                "notes/a/b | {\"policy\": {\"a\": 1}} | 400 | ''",
                "notes/a/b | {\"policy\": \"1e-999\", \"other\": 1} | 200 | 1e-999"
            })
    void otherEndpointsGetTheirBodiesAsTheyAre(String path, String body, int status, String answer) {
        assertThat(mvc.post()
                        .uri("/actuator/" + path)
                        .contentType(MediaType.APPLICATION_JSON)
                        .content(body)
                        .exchange())
                .hasStatus(status)
                .hasBodyTextEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | The body is no JSON object",
                "3 | The body is no JSON object",
                "{\"policy\": | The body is no JSON object",
                "{\"action\": {}} | The field 'action' has an object or a list",
                "{\"action\": \"reset\", \"key\": [1]} | The field 'key' has an object or a list",
                "{\"action\": \"reset\", \"kee\": 1} | There is no field 'kee'"
            })
    void aBodyThatMakesNoSenseIsAnsweredWithWhatIsWrong(String body, String error) {
        assertThat(post("bulkhead/orders", body))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .hasPathSatisfying("$.error", value -> value.assertThat().isEqualTo(error))
                .hasPathSatisfying(
                        "$.reason", value -> value.assertThat().asString().contains("action, policy"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"policy\": {\"minimum-calls\": \"LONG\"}}",
                "{\"policy\": {\"LONG\": 3}}",
                "{\"action\": \"LONG\"}",
                "{\"action\": \"reset\", \"LONG\": 3}"
            })
    void ofALongValueTheAnswerHasAPart(String body) throws UnsupportedEncodingException {
        MvcTestResult answer = post("circuit-breaker/orders", body.replace("LONG", "a b".repeat(15_000)));

        assertThat(answer).hasStatus(HttpStatus.BAD_REQUEST);
        assertThat(answer.getResponse().getContentAsString()).contains("a ba b").hasSizeLessThan(1_500);
    }

    @Test
    void noBodyAtAllIsABadRequest() {
        assertThat(post("bulkhead/orders", "null")).hasStatus(HttpStatus.BAD_REQUEST);
    }

    @Test
    void whatCannotChangeIsABadRequest() {
        assertThat(post("idempotency/orders", "{\"policy\": {\"scope\": \"none\"}}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .hasPathSatisfying(
                        "$.error",
                        value -> value.assertThat()
                                .asString()
                                .contains("scope = NONE: cannot change while the application runs"))
                .hasPathSatisfying(
                        "$.reason",
                        value -> value.assertThat().isEqualTo("Change the configuration and restart the application."));
    }

    @Test
    void placeholdersAreNotResolved() {
        assertThat(post("bulkhead/orders", "{\"policy\": {\"max-concurrent\": \"${java.version}\"}}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .doesNotContain(System.getProperty("java.version"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"policy\": 3}",
                "{\"policy\": \"fast\"}",
                "{\"policy\": [3]}",
                "{\"policy\": {\"max-concurrent\": 3}, \"action\": \"reset\"}"
            })
    void whatMakesNoSenseIsABadRequest(String body) {
        assertThat(post("bulkhead/orders", body))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("error");
        assertThat(registry.bulkhead("orders").policy().maxConcurrent()).isEqualTo(7);
    }

    @Test
    void anUnknownNameIsNotFound() {
        assertThat(post("bulkhead/order", "{\"policy\": {\"max-concurrent\": 3}}"))
                .hasStatus(HttpStatus.NOT_FOUND)
                .bodyJson()
                .extractingPath("$.names")
                .asArray()
                .containsAll(List.of("default", "orders"));
    }

    @Test
    void policiesThatCodeMakesAreShownUntilTheyAreRemoved() {
        registry.getOrCreate(Bulkhead.class, "acme", "orders");
        post("bulkhead/acme", "{\"policy\": {\"max-concurrent\": 3}}");
        assertThat(mvc.get().uri("/actuator/resilience/bulkhead/acme"))
                .hasStatusOk()
                .bodyJson()
                .hasPathSatisfying(
                        "$.policy.max-concurrent", value -> value.assertThat().isEqualTo(3))
                .hasPathSatisfying(
                        "$.events[1].type", value -> value.assertThat().isEqualTo("policy-added"));

        registry.remove(Bulkhead.class, "acme");
        assertThat(mvc.get().uri("/actuator/resilience/bulkhead/acme")).hasStatus(HttpStatus.NOT_FOUND);

        registry.getOrCreate(Bulkhead.class, "acme", "orders");
        assertThat(mvc.get().uri("/actuator/resilience/bulkhead/acme"))
                .bodyJson()
                .extractingPath("$.events")
                .asArray()
                .hasSize(1); // what was before is forgotten
        registry.remove(Bulkhead.class, "acme");
    }

    private MvcTestResult post(String policy, String body) {
        return mvc.post()
                .uri("/actuator/resilience/" + policy)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }
}
