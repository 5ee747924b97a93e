package dev.resilience.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the tests do with the running application, all of it over HTTP. */
final class Shop {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String url;

    /** Sets the keys of one test apart from those of others with the same application. */
    private final String keySuffix;

    Shop(int port) {
        this(port, "-" + TESTS.incrementAndGet());
    }

    private Shop(int port, String keySuffix) {
        this.url = "http://localhost:" + port;
        this.keySuffix = keySuffix;
    }

    /** The same customers with the same keys, at another port. */
    Shop restartedAt(int port) {
        return new Shop(port, keySuffix);
    }

    Answer order(String key) {
        return order(key, "42.00");
    }

    Answer order(String key, String amount) {
        return startOrder(key, amount).join();
    }

    /** Does not wait for the answer. */
    CompletableFuture<Answer> startOrder(String key, String amount) {
        return startOrder("/orders", key, amount);
    }

    /** An order that is not paid yet. */
    Answer orderOnInvoice(String key) {
        return startOrder("/orders/on-invoice", key, "42.00").join();
    }

    private CompletableFuture<Answer> startOrder(String path, String key, String amount) {
        String order = "{\"customer\":\"Ada\",\"item\":\"Teapot\",\"amount\":" + amount + "}";
        return send(request(path, "POST", order).header("Idempotency-Key", key.isEmpty() ? key : key + keySuffix));
    }

    /** Does not wait for the answer. */
    CompletableFuture<Answer> startExchange(String order, String item, String ifMatch) {
        return send(request(order, "PATCH", "{\"item\":\"" + item + "\"}").header("If-Match", ifMatch));
    }

    /** Does not wait for the answer. */
    CompletableFuture<Answer> startPayment(String order) {
        return send(request(order + "/paid", "PUT", ""));
    }

    void gatewayBehaves(String behaviour) {
        put("/gateway/behaviour", behaviour);
    }

    Answer get(String path) {
        return send(request(path, "GET", "")).join();
    }

    /** Has a second to answer. */
    Answer getWithDeadline(String path) {
        return send(request(path, "GET", "").header("X-Request-Deadline-Ms", "1000"))
                .join();
    }

    Answer post(String path, String body) {
        return send(request(path, "POST", body)).join();
    }

    Answer patch(String path, String body) {
        return send(request(path, "PATCH", body)).join();
    }

    Answer put(String path, String body) {
        return send(request(path, "PUT", body)).join();
    }

    int charges() {
        return get("/gateway/charges").body().path("count").intValue();
    }

    /** Calls of the gateway that came again with a key and were not charged again. */
    int repeatedCharges() {
        return get("/gateway/charges").body().path("repeats").intValue();
    }

    /** Good behaviour, no charges, a closed breaker. */
    void startAfresh() {
        post("/gateway/reset", "");
        post("/actuator/resilience/circuit-breaker/gateway", "{\"action\":\"reset\"}");
    }

    String breakerState() {
        return get("/actuator/resilience/circuit-breaker/gateway").text("/state/state");
    }

    /**
     * The value of a meter.
     *
     * @param tags like {@code outcome:success}
     */
    double meter(String name, String... tags) {
        String query = Stream.of(tags).map(tag -> "&tag=" + tag).collect(Collectors.joining());
        Answer answer = get("/actuator/metrics/" + name + "?tag=name:" + policyOf(name) + query);
        return answer.body().at("/measurements/0/value").doubleValue();
    }

    /** Counts how often something happens from now on. */
    Counter counter(String name, String... tags) {
        double start = meter(name, tags);
        return () -> (int) (meter(name, tags) - start);
    }

    private static String policyOf(String meter) {
        return meter.startsWith("resilience.idempotency.") ? "orders" : "gateway";
    }

    private HttpRequest.Builder request(String path, String method, String body) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body));
    }

    private static CompletableFuture<Answer> send(HttpRequest.Builder request) {
        return CLIENT.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(Answer::of);
    }

    interface Counter {

        int increase();
    }

    /** An answer whose body is JSON, or nothing. */
    record Answer(
            int status,
            @Nullable String retryAfter,
            @Nullable String eTag,
            String contentType,
            JsonNode body) {

        static Answer of(HttpResponse<String> response) {
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Retry-After").orElse(null),
                    response.headers().firstValue("ETag").orElse(null),
                    response.headers().firstValue("Content-Type").orElse(""),
                    JSON.readTree(response.body()));
        }

        /** The text at a JSON pointer. */
        String text(String pointer) {
            return body.at(pointer).asString();
        }

        /** The texts in the array at a JSON pointer. */
        List<String> texts(String pointer) {
            return body.at(pointer).valueStream().map(JsonNode::asString).toList();
        }

        /** What happened to the order, one sentence after the other. */
        String story() {
            return String.join("; ", texts("/story"));
        }

        String problem() {
            return text("/type");
        }
    }
}
