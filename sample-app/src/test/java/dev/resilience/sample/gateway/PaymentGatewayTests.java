package dev.resilience.sample.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PaymentGatewayTests {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final JsonMapper json = new JsonMapper();
    private final PaymentGateway gateway = new PaymentGateway(0, json);

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void chargesEveryCallWithoutAKey() throws Exception {
        HttpResponse<String> first = charge("42.50");
        HttpResponse<String> second = charge("7.50");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(second.body()).contains("pay_").isNotEqualTo(first.body());
        assertThat(gateway.charges()).isEqualTo(new Charges(2, new BigDecimal("50.00"), 0, 0));
    }

    @Test
    void chargesOncePerKey() throws Exception {
        HttpResponse<String> first = charge("42.50", "key");
        HttpResponse<String> again = charge("42.50", "key");
        HttpResponse<String> otherKey = charge("42.50", "other key");

        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(otherKey.body()).isNotEqualTo(first.body());
        assertThat(gateway.charges()).isEqualTo(new Charges(2, new BigDecimal("85.00"), 0, 1));
    }

    @Test
    void refusesAKeyWithAnotherAmount() throws Exception {
        charge("42.50", "key");

        assertThat(charge("43.50", "key").statusCode()).isEqualTo(422);
        assertThat(gateway.charges()).isEqualTo(new Charges(1, new BigDecimal("42.50"), 0, 0));
    }

    @Test
    void chargesOnceThoughItsAnswerIsLost() throws Exception {
        behave("{\"loseNext\":1}");

        assertThatIOException().isThrownBy(() -> charge("42.50", "key"));
        assertThat(gateway.behaviour().loseNext()).isZero();
        assertThat(charge("42.50", "key").statusCode()).isEqualTo(201);

        assertThat(gateway.charges()).isEqualTo(new Charges(1, new BigDecimal("42.50"), 0, 1));
    }

    @Test
    void declinesLargeAmounts() throws Exception {
        assertThat(charge("10000.01").statusCode()).isEqualTo(402);
        assertThat(charge("10000").statusCode()).isEqualTo(201);
        assertThat(gateway.charges().count()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "null", "{}", "{\"amount\":\"much\"}"})
    void refusesWhatIsNoCharge(String body) throws Exception {
        assertThat(post(body).statusCode()).isEqualTo(400);
    }

    @Test
    void moreCallsASecondThanItsCapacityAllFail() throws Exception {
        gateway.behave(json.readValue("{\"capacity\":3}", Behaviour.class));
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            statuses.add(charge("1.00").statusCode());
        }

        assertThat(statuses).startsWith(201, 201, 201).endsWith(503);
    }

    @Test
    void failsAShareOfTheCalls() throws Exception {
        behave("{\"errorRate\":1}");
        assertThat(charge("1").statusCode()).isEqualTo(503);
        assertThat(gateway.charges().count()).isZero();

        behave("{\"errorRate\":0}");
        assertThat(charge("1").statusCode()).isEqualTo(201);
    }

    @Test
    void failsTheNextCalls() throws Exception {
        behave("{\"failNext\":2}");

        assertThat(charge("1").statusCode()).isEqualTo(503);
        assertThat(gateway.behaviour().failNext()).isEqualTo(1);
        assertThat(charge("1").statusCode()).isEqualTo(503);
        assertThat(charge("1").statusCode()).isEqualTo(201);
    }

    @Test
    void limitsTheRate() throws Exception {
        behave("{\"rateLimited\":true,\"retryAfterSeconds\":7}");

        HttpResponse<String> answer = charge("1");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("7");
        assertThat(gateway.charges().count()).isZero();
    }

    @Test
    void answersLate() throws Exception {
        behave("{\"latency\":\"PT0.05S\"}");
        long start = System.nanoTime();

        assertThat(charge("1").statusCode()).isEqualTo(201);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
    }

    @Test
    void dropsACallWithoutAnAnswerWhenItHangs() throws Exception {
        behave("{\"hang\":\"PT0.05S\"}");

        assertThatIOException().isThrownBy(() -> charge("1"));

        assertThat(gateway.charges().count()).isZero();
    }

    @Test
    void refusesConnectionsAndComesBackAtTheSameAddress() throws Exception {
        URI address = gateway.uri();
        charge("1");
        for (int i = 0; i < 20; i++) {
            behave("{\"refuse\":true}");
            assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> charge("1"));

            behave("{}");
            assertThat(charge("1").statusCode()).isEqualTo(201);
        }
        assertThat(gateway.uri()).isEqualTo(address);
    }

    @Test
    void resetForgetsChargesAndKeys() throws Exception {
        charge("1", "key");
        behave("{\"refuse\":true}");

        gateway.reset();

        assertThat(gateway.charges()).isEqualTo(Charges.NONE);
        assertThat(charge("2", "key").statusCode()).isEqualTo(201);
    }

    private void behave(String behaviour) {
        gateway.behave(json.readValue(behaviour, Behaviour.class));
    }

    private HttpResponse<String> charge(String amount) throws IOException, InterruptedException {
        return post("{\"customer\":\"Ada\",\"amount\":" + amount + "}");
    }

    private HttpResponse<String> charge(String amount, String key) throws IOException, InterruptedException {
        return post("{\"customer\":\"Ada\",\"amount\":" + amount + "}", "Idempotency-Key", key);
    }

    private HttpResponse<String> post(String body, String... header) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(gateway.uri().resolve("/charges")).POST(BodyPublishers.ofString(body));
        if (header.length > 0) {
            request.headers(header);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }
}
