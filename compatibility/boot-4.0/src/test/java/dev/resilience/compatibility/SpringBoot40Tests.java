package dev.resilience.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.compatibility.Shop.Gateway;
import dev.resilience.compatibility.Shop.Ledger;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.TimeLimitExceededException;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SpringBoot40Tests {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Autowired
    Environment environment;

    @Autowired
    Gateway gateway;

    @Autowired
    Ledger ledger;

    @Autowired
    MeterRegistry meters;

    @Test
    void thisIsSpringBoot40() {
        assertThat(SpringBootVersion.getVersion()).startsWith("4.0.");
    }

    @Test
    void aTransientFaultIsRetried() throws Exception {
        assertThat(gateway.charge()).isEqualTo("charged");
        assertThat(gateway.chargeLater().get()).isEqualTo("charged later");

        assertThat(meters.get("resilience.retry.calls")
                        .tags("name", "gateway", "outcome", "success_after_retry")
                        .functionCounter()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void aFallbackAnswersInPlaceOfAFailure() throws Exception {
        assertThat(gateway.price("tea")).isEqualTo("the price of tea as it was");
    }

    @Test
    void aFullBulkheadRefuses() {
        assertThatThrownBy(() -> gateway.enter(() -> gateway.enter(() -> "inside")))
                .isInstanceOf(BulkheadFullException.class);
    }

    @Test
    void aTimeLimitEndsACall() {
        assertThatThrownBy(gateway::hang).isInstanceOf(TimeLimitExceededException.class);
    }

    @Test
    void aRepeatedRequestGetsTheStoredAnswer() throws Exception {
        HttpResponse<String> first = placeOrder("first", "teapot", 42);
        HttpResponse<String> second = placeOrder("first", "teapot", 42);
        HttpResponse<String> other = placeOrder("first", "teapot", 43);

        assertThat(first.statusCode()).as(first.body()).isEqualTo(201);
        assertThat(first.body()).contains("\"order\":\"teapot\"", "\"remark\":null");
        assertThat(second.statusCode()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(other.body()).contains("urn:resilience:problem:idempotency-key-reused");
        assertThat(ledger.entries("teapot")).isEqualTo(1);
    }

    @Test
    void aRepeatedCallGetsTheStoredResult() {
        Shop.Order order = new Shop.Order("cup", 1, null);

        assertThat(ledger.book("key", order)).isEqualTo(ledger.book("key", order));
        assertThat(ledger.entries("cup")).isEqualTo(1);
    }

    @Test
    void anOpenCircuitIsAnsweredWithAProblem() throws Exception {
        assertThatThrownBy(gateway::refuse).isInstanceOf(ConnectException.class);

        HttpResponse<String> refused = get("/broken");

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("60");
        assertThat(refused.body()).contains("urn:resilience:problem:circuit-open");
    }

    @Test
    void theEndpointShowsPoliciesAndTheHealthIsThere() throws Exception {
        HttpResponse<String> all = get("/actuator/resilience");

        assertThat(all.statusCode()).isEqualTo(200);
        assertThat(all.body()).contains("\"usedBy\":[\"Gateway.charge()\"", "\"max-attempts\":3");
        assertThat(get("/actuator/resilience/retry/gateway").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/resilience/retry/unheard-of").statusCode()).isEqualTo(404);
        assertThat(get("/actuator/health").body()).contains("\"resilience\"");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aProblemIsAnalysed(CapturedOutput output) {
        assertThatThrownBy(() -> SpringApplication.run(
                        Shop.class, "--server.port=0", "--resilience.retry.gateway.max-attempts=0"))
                .isNotNull();

        assertThat(output).contains("APPLICATION FAILED TO START", "resilience.retry.gateway.max-attempts");
    }

    private HttpResponse<String> placeOrder(String key, String item, int amount) throws Exception {
        String body = "{\"item\":\"" + item + "\",\"amount\":" + amount + "}";
        return send(request("/orders")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                URI.create("http://localhost:" + environment.getProperty("local.server.port") + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
