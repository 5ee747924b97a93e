package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitState;
import dev.resilience.spring.ResilienceRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

@SpringBootTest(
        classes = ReactiveEndpointTests.Application.class,
        properties = {
            "spring.main.web-application-type=reactive",
            "resilience.bulkhead.orders.max-concurrent=7",
            "management.endpoints.web.exposure.include=resilience,loggers,notes",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class ReactiveEndpointTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ActuatorTest.Notes.class)
    static class Application {}

    @Autowired
    ApplicationContext context;

    @Autowired
    ResilienceRegistry registry;

    @Test
    void aPolicyIsChangedByAnObject() {
        post("bulkhead/orders", "{\"policy\": {\"max-concurrent\": 3}}")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.policy.max-concurrent")
                .isEqualTo(3)
                .jsonPath("$.events[0].by")
                .isEqualTo("endpoint");
        assertThat(registry.bulkhead("orders").policy().maxConcurrent()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "loggers/some.logger | null | 204",
                "notes/a/b | {\"policy\": {\"a\": 1}} | 400",
                "notes/a/b | {\"policy\": \"1e-999\", \"other\": 1} | 200"
            })
    void otherEndpointsGetTheirBodiesAsTheyAre(String path, String body, int status) {
        send(path, body).expectStatus().isEqualTo(status);
    }

    @Test
    void aBodyOfMoreThan64KilobytesIsRefused() {
        post("circuit-breaker/default", "{\"action\": \"force-open\"" + " ".repeat(65_536) + "}")
                .expectStatus()
                .isEqualTo(HttpStatus.CONTENT_TOO_LARGE);
        assertThat(registry.circuitBreaker("default").currentState()).isNotEqualTo(CircuitState.FORCED_OPEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e-999999999", "\"1e-999999999\""})
    void aNumberThatIsAlmostZeroIsNotZero(String number) {
        post("circuit-breaker/default", "{\"policy\": {\"failure-rate-threshold\": " + number + "}}")
                .expectStatus()
                .isBadRequest()
                .expectBody(String.class)
                .value(answer -> assertThat(answer).contains("a number that is almost zero"));
        assertThat(registry.circuitBreaker("default").policy().failureRateThreshold())
                .isEqualTo(0.5);
    }

    @Test
    void anActionIsDone() {
        post("circuit-breaker/default", "{\"action\": \"open\"}")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.state.state")
                .isEqualTo("OPEN");
    }

    @Test
    void aFieldThatNoActionTakesIsABadRequest() {
        post("circuit-breaker/default", "{\"action\": \"force-open\", \"limit\": 1}")
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.error")
                .value(String.class, error -> assertThat(error).contains("limit"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"policy\": [3]}", "{\"policy\": {\"max\": 3}}", "{\"action\": {}}", "{\"policy\":", "[]", "3"
            })
    void whatMakesNoSenseIsABadRequest(String body) {
        post("bulkhead/orders", body)
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.error")
                .value(String.class, error -> assertThat(error).isNotEqualTo("Bad Request"));
    }

    private WebTestClient.ResponseSpec post(String policy, String body) {
        return send("resilience/" + policy, body);
    }

    private WebTestClient.ResponseSpec send(String path, String body) {
        return WebTestClient.bindToApplicationContext(context)
                .build()
                .post()
                .uri("/actuator/" + path)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body)
                .exchange();
    }
}
