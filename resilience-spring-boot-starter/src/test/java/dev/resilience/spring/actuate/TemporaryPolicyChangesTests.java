package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/** A change for a time goes back by itself; the last one decides when, and lasting changes stay. */
@ActuatorTest
class TemporaryPolicyChangesTests extends ManualTimeActuatorTest {

    @AfterEach
    void asItIsConfigured() {
        registry.reconfigure(
                Bulkhead.class,
                "orders",
                BulkheadPolicy.builder().maxConcurrent(7).build());
    }

    @Test
    void theEntryShowsWhatDiffersAndUntilWhen() {
        assertThat(change("{\"max-concurrent\": 3, \"queue-timeout\": \"2s\"}", "10m"))
                .hasStatusOk()
                .bodyJson()
                .hasPathSatisfying(
                        "$.changed",
                        value -> value.assertThat()
                                .isEqualTo(Map.of(
                                        "max-concurrent", Map.of("configured", "7", "now", "3"),
                                        "queue-timeout", Map.of("configured", "PT30S", "now", "PT2S"))))
                .hasPathSatisfying(
                        "$.until",
                        value -> value.assertThat()
                                .isEqualTo(Timestamps.text(time.now().plusSeconds(600))));
    }

    @Test
    void itGoesBackByItself() {
        change("{\"max-concurrent\": 3}", "10m");

        time.advance(Duration.ofSeconds(599));
        assertThat(maxConcurrent()).isEqualTo(3);
        time.advance(Duration.ofSeconds(1));

        assertThat(maxConcurrent()).isEqualTo(7);
        assertNothingDiffers();
        assertThat(entry()).bodyJson().extractingPath("$.events[0].by").isEqualTo("timer");
        assertThat(entry()).bodyJson().extractingPath("$.events[0].changed").isEqualTo(Map.of("max-concurrent", "7"));
    }

    @Test
    void ofSeveralTheLastDecidesWhenItGoesBackToWhatWasBeforeTheFirst() {
        change("{\"max-concurrent\": 3}", "10m");
        time.advance(Duration.ofMinutes(5));
        change("{\"max-queue\": 1}", "20m");

        time.advance(Duration.ofMinutes(19));
        assertThat(maxConcurrent()).isEqualTo(3);
        time.advance(Duration.ofMinutes(1));

        assertThat(maxConcurrent()).isEqualTo(7);
        assertNothingDiffers();
    }

    @Test
    void aShorterOneEndsALongerOne() {
        change("{\"max-concurrent\": 3}", "10m");
        change("{\"max-concurrent\": 4}", "1m");

        time.advance(Duration.ofMinutes(1));

        assertThat(maxConcurrent()).isEqualTo(7);
        time.advance(Duration.ofMinutes(10));
        assertThat(maxConcurrent()).isEqualTo(7);
    }

    @Test
    void theSameChangeAgainHoldsForLonger() {
        change("{\"max-concurrent\": 3}", "10m");
        change("{\"max-concurrent\": 3}", "20m");

        time.advance(Duration.ofMinutes(10));
        assertThat(maxConcurrent()).isEqualTo(3);
        time.advance(Duration.ofMinutes(10));
        assertThat(maxConcurrent()).isEqualTo(7);
    }

    @Test
    void aLastingChangeMeanwhileStaysAndTheRestGoesBack() {
        change("{\"max-concurrent\": 3, \"max-queue\": 1}", "10m");
        change("{\"max-concurrent\": 5}", null);
        assertThat(maxConcurrent()).isEqualTo(5);

        time.advance(Duration.ofMinutes(10));

        assertThat(maxConcurrent()).isEqualTo(5);
        assertThat(registry.bulkhead("orders").policy().maxQueue()).isEqualTo(50);
        assertThat(entry())
                .bodyJson()
                .doesNotHavePath("$.until")
                .extractingPath("$.changed")
                .isEqualTo(Map.of("max-concurrent", Map.of("configured", "7", "now", "5")));
    }

    @Test
    void aLastingChangeToTheSameValueKeepsIt() {
        change("{\"max-concurrent\": 3}", "10m");

        assertThat(change("{\"max-concurrent\": 3}", null)).bodyJson().doesNotHavePath("$.until");

        time.advance(Duration.ofMinutes(10));
        assertThat(maxConcurrent()).isEqualTo(3);
    }

    @Test
    void aLastingChangeThatCouldNotStayIsRefused() {
        changeOf("circuit-breaker", "{\"max-open-duration\": \"2h\"}", "10m");

        assertThat(changeOf("circuit-breaker", "{\"open-duration\": \"1h\"}", null))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("max-open-duration");

        time.advance(Duration.ofMinutes(10));
        assertThat(registry.circuitBreaker("orders").policy().maxOpenDuration()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void aTemporaryReturnToWhatIsConfiguredEndsToo() {
        change("{\"max-concurrent\": 3}", null);
        change("{\"max-concurrent\": 7}", "1m");

        time.advance(Duration.ofMinutes(1));

        assertThat(maxConcurrent()).isEqualTo(3);
        assertThat(entry()).bodyJson().doesNotHavePath("$.until");
    }

    @Test
    void aPolicyThatIsRemovedMeanwhileIsNotChangedAnyMore() {
        registry.getOrCreate(Bulkhead.class, "partner", "orders");
        post("bulkhead/partner", "{\"policy\": {\"max-concurrent\": 3}, \"for\": \"10m\"}");
        registry.remove(Bulkhead.class, "partner");
        registry.getOrCreate(Bulkhead.class, "partner", "orders");

        time.advance(Duration.ofMinutes(10));

        assertThat(mvc.get().uri("/actuator/resilience/bulkhead/partner"))
                .bodyText()
                .doesNotContain("policy-changed");
        registry.remove(Bulkhead.class, "partner");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10", "\"10\"", "\"soon\"", "\"\"", "\"-1m\"", "\"0s\"", "\"31d\"", "null", "\"99999999999999d\""
            })
    void aTimeThatIsNoneIsABadRequestAndChangesNothing(String time) {
        assertThat(post("bulkhead/orders", "{\"policy\": {\"max-concurrent\": 3}, \"for\": " + time + "}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyJson()
                .extractingPath("$.error")
                .asString()
                .contains("'for'");
        assertThat(maxConcurrent()).isEqualTo(7);
    }

    @Test
    void aTimeOfAnActionIsABadRequest() {
        assertThat(post("circuit-breaker/orders", "{\"action\": \"open\", \"for\": \"10m\"}"))
                .hasStatus(HttpStatus.BAD_REQUEST)
                .bodyText()
                .contains("'for' is the time of a change of the policy");
    }

    private int maxConcurrent() {
        return registry.bulkhead("orders").policy().maxConcurrent();
    }

    private void assertNothingDiffers() {
        assertThat(entry()).bodyJson().doesNotHavePath("$.changed").doesNotHavePath("$.until");
    }

    private MvcTestResult entry() {
        return mvc.get().uri("/actuator/resilience/bulkhead/orders").exchange();
    }

    private MvcTestResult change(String policy, String time) {
        return changeOf("bulkhead", policy, time);
    }

    private MvcTestResult changeOf(String kind, String policy, String time) {
        return post(kind + "/orders", "{\"policy\": " + policy + (time == null ? "}" : ", \"for\": \"" + time + "\"}"));
    }

    private MvcTestResult post(String policy, String body) {
        return mvc.post()
                .uri("/actuator/resilience/" + policy)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }
}
