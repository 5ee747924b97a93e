package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.sample.Shop.Answer;
import dev.resilience.sample.Shop.Counter;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

@ShopTest
class ShopEndToEndTests {

    private final Shop shop;
    private final ManualTimeSource time;

    ShopEndToEndTests(@LocalServerPort int port, @Autowired ManualTimeSource time) {
        this.shop = new Shop(port);
        this.time = time;
    }

    @BeforeEach
    void startAfresh() {
        shop.startAfresh();
    }

    @Test
    void theOrderIsIdempotentAndEveryRequestToTheGatewayIsProtected() {
        Answer overview = shop.get("/actuator/resilience");

        assertThat(overview.texts("/idempotency/orders/usedBy"))
                .singleElement()
                .asString()
                .startsWith("OrderService.place(");
        for (String kind : List.of("bulkhead", "circuit-breaker", "retry")) {
            assertThat(overview.texts("/" + kind + "/gateway/usedBy"))
                    .as(kind)
                    .containsExactly("OrderService.place(String, OrderRequest)");
        }
        assertThat(overview.text("/retry/gateway/policy/max-attempts")).isEqualTo("3");
        assertThat(overview.text("/circuit-breaker/gateway/policy/open-duration"))
                .isEqualTo("PT5S");
        assertThat(overview.body().path("warnings")).isEmpty();
        assertThat(shop.get("/actuator/health").text("/components/resilience/status"))
                .isEqualTo("UP");
    }

    @Test
    void aTransientFaultIsRetriedAway() {
        Counter recovered = shop.counter("resilience.retry.calls", "outcome:success_after_retry");
        Counter retries = shop.counter("resilience.retry.attempts");
        Counter breakerFailures = shop.counter("resilience.circuitbreaker.calls", "outcome:failure");
        shop.gatewayBehaves("{\"failNext\":2}");

        Answer placed = shop.order("transient");

        assertThat(placed.status()).isEqualTo(201);
        assertThat(shop.get("/orders/" + placed.text("/id")).body().properties())
                .isSubsetOf(placed.body().properties());
        assertThat(shop.charges()).isEqualTo(1);
        assertThat(recovered.increase()).isEqualTo(1);
        assertThat(retries.increase()).isEqualTo(2);
        assertThat(breakerFailures.increase()).isZero();
        assertThat(shop.get("/actuator/resilience/retry/gateway").body().path("events"))
                .isNotEmpty();
    }

    @Test
    void aPermanentFaultIsNotRetried() {
        Counter notRetryable = shop.counter("resilience.retry.calls", "outcome:not_retryable");
        Counter retries = shop.counter("resilience.retry.attempts");
        Counter ignored = shop.counter("resilience.circuitbreaker.calls", "outcome:ignored");

        Answer declined = shop.order("too much", "10001.00");

        assertThat(declined.status()).isEqualTo(402);
        assertThat(notRetryable.increase()).isEqualTo(1);
        assertThat(retries.increase()).isZero();
        assertThat(ignored.increase()).isEqualTo(1);
    }

    @Test
    void aRetryWaitsAsLongAsTheGatewayAsks() {
        shop.gatewayBehaves("{\"rateLimited\":true,\"retryAfterSeconds\":4}");
        Duration start = time.elapsed();

        assertThat(shop.order("limited").status()).isEqualTo(502);

        assertThat(time.elapsed().minus(start)).isGreaterThanOrEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void theBreakerOpensRefusesAndClosesAgainAfterRecovery() {
        Counter opened = shop.counter("resilience.circuitbreaker.transitions", "from:closed", "to:open");
        Counter probed = shop.counter("resilience.circuitbreaker.transitions", "from:open", "to:half_open");
        Counter closed = shop.counter("resilience.circuitbreaker.transitions", "from:half_open", "to:closed");
        Counter rejected = shop.counter("resilience.circuitbreaker.calls", "outcome:rejected");

        shop.gatewayBehaves("{\"refuse\":true}");
        for (int i = 1; i <= 3; i++) {
            assertThat(shop.breakerState()).isEqualTo("CLOSED");
            assertThat(shop.order("down-" + i).status()).isEqualTo(502);
        }
        assertThat(shop.breakerState()).isEqualTo("OPEN");
        assertThat(opened.increase()).isEqualTo(1);
        assertThat(shop.meter("resilience.circuitbreaker.state")).isEqualTo(1);

        shop.gatewayBehaves("{}");
        Answer refused = shop.order("refused");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.retryAfter()).isEqualTo("5");
        assertThat(refused.contentType()).startsWith("application/problem+json");
        assertThat(refused.problem()).isEqualTo("urn:resilience:problem:circuit-open");
        assertThat(rejected.increase()).isEqualTo(1);
        assertThat(shop.charges()).isZero();

        time.advance(Duration.ofSeconds(5));
        assertThat(shop.order("refused").status()).isEqualTo(201);
        assertThat(shop.breakerState()).isEqualTo("HALF_OPEN");
        assertThat(probed.increase()).isEqualTo(1);

        assertThat(shop.order("recovered").status()).isEqualTo(201);
        assertThat(shop.breakerState()).isEqualTo("CLOSED");
        assertThat(closed.increase()).isEqualTo(1);
        assertThat(shop.meter("resilience.circuitbreaker.state")).isZero();
        assertThat(shop.charges()).isEqualTo(2);
    }

    @Test
    void theBulkheadRefusesUnderLoad() {
        Counter accepted = shop.counter("resilience.bulkhead.calls", "outcome:accepted");
        Counter rejected = shop.counter("resilience.bulkhead.calls", "outcome:rejected");
        Counter timedOut = shop.counter("resilience.bulkhead.calls", "outcome:timed_out");
        shop.gatewayBehaves("{\"latency\":\"PT1M\"}");
        List<CompletableFuture<Answer>> running = startOrders("running", 4);
        await().until(() -> shop.meter("resilience.bulkhead.running") == 4);
        CompletableFuture<Answer> queued = shop.startOrder("queued", "42.00");
        await().until(() -> shop.meter("resilience.bulkhead.queued") == 1 && time.parkedThreads() == 1);

        Answer refused = shop.order("refused under load");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.retryAfter()).isEqualTo("1");
        assertThat(refused.problem()).isEqualTo("urn:resilience:problem:bulkhead-full");
        assertThat(rejected.increase()).isEqualTo(1);
        assertThat(shop.get("/actuator/resilience/bulkhead/gateway").text("/state/running"))
                .isEqualTo("4");

        time.advance(Duration.ofMillis(500));
        assertThat(queued.join().status()).isEqualTo(503);
        assertThat(timedOut.increase()).isEqualTo(1);

        shop.gatewayBehaves("{}");
        assertThat(running)
                .allSatisfy(order -> assertThat(order.join().status()).isEqualTo(201));
        assertThat(accepted.increase()).isEqualTo(4);
        assertThat(shop.charges()).isEqualTo(4);
        await().until(() -> shop.meter("resilience.bulkhead.running") == 0);
    }

    @Test
    void theSameKeyChargesOnce() {
        Counter executed = shop.counter("resilience.idempotency.calls", "outcome:executed");
        Counter replayed = shop.counter("resilience.idempotency.calls", "outcome:replayed");
        Counter reused = shop.counter("resilience.idempotency.calls", "outcome:key_reused");

        Answer first = shop.order("same");
        Answer second = shop.order("same");
        Answer otherAmount = shop.order("same", "43.00");

        assertThat(first.status()).isEqualTo(201);
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.text("/id")).isEqualTo(first.text("/id"));
        assertThat(second.text("/paymentId")).isEqualTo(first.text("/paymentId"));
        assertThat(otherAmount.status()).isEqualTo(422);
        assertThat(otherAmount.problem()).isEqualTo("urn:resilience:problem:idempotency-key-reused");
        assertThat(shop.charges()).isEqualTo(1);
        assertThat(shop.repeatedCharges()).isZero();
        assertThat(executed.increase()).isEqualTo(1);
        assertThat(replayed.increase()).isEqualTo(1);
        assertThat(reused.increase()).isEqualTo(1);
    }

    @Test
    void theSameKeyIsRefusedWhileItsOrderIsBeingPlaced() {
        Counter inProgress = shop.counter("resilience.idempotency.calls", "outcome:in_progress");
        shop.gatewayBehaves("{\"latency\":\"PT1M\"}");
        CompletableFuture<Answer> first = shop.startOrder("twice", "42.00");
        await().until(() -> shop.meter("resilience.bulkhead.running") == 1);

        Answer second = shop.order("twice");
        assertThat(second.status()).isEqualTo(409);
        assertThat(second.retryAfter()).isNotNull();
        assertThat(second.problem()).isEqualTo("urn:resilience:problem:idempotency-in-progress");
        assertThat(inProgress.increase()).isEqualTo(1);

        shop.gatewayBehaves("{}");
        assertThat(first.join().status()).isEqualTo(201);
        assertThat(shop.order("twice").text("/id")).isEqualTo(first.join().text("/id"));
        assertThat(shop.charges()).isEqualTo(1);
    }

    @Test
    void anOrderNeedsAKey() {
        Answer withoutKey = shop.post("/orders", "{\"customer\":\"Ada\",\"item\":\"Teapot\",\"amount\":42}");
        Answer emptyKey = shop.order("");

        assertThat(withoutKey.status()).isEqualTo(400);
        assertThat(emptyKey.status()).isEqualTo(400);
        assertThat(emptyKey.problem()).isEqualTo("urn:resilience:problem:idempotency-key-invalid");
        assertThat(shop.charges()).isZero();
    }

    private List<CompletableFuture<Answer>> startOrders(String key, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> shop.startOrder(key + "-" + i, "42.00"))
                .toList();
    }
}
