package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.sample.Shop.Answer;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Each answer says what happened to its order, and nothing of what happened to others. */
@ShopTest
class StoryTests {

    private static final String SECONDS = "\\d\\.\\d\\d s";

    private final Shop shop;
    private final ManualTimeSource time;

    StoryTests(@LocalServerPort int port, @Autowired ManualTimeSource time) {
        this.shop = new Shop(port);
        this.time = time;
    }

    @BeforeEach
    void startAfresh() {
        shop.startAfresh();
    }

    @Test
    void anUndisturbedOrderIsPaidAtTheFirstAttempt() {
        assertThat(shop.order("plain").story()).isEqualTo("paid at the first attempt");
    }

    @Test
    void aRepeatedOrderIsAnsweredFromTheStore() {
        shop.gatewayBehaves("{\"failNext\":1}");
        shop.order("repeated");

        assertThat(shop.order("repeated").story()).isEqualTo("answered from the store, nothing charged");
    }

    @Test
    void retriesAreToldWithTheirReasonsAndWaits() {
        shop.gatewayBehaves("{\"failNext\":2}");

        assertThat(shop.order("retried").story())
                .matches("3 attempts: 503, 503, then paid, after waiting " + SECONDS + " and " + SECONDS);
    }

    @Test
    void aLostAnswerIsToldAsALostConnection() {
        shop.gatewayBehaves("{\"loseNext\":1}");

        assertThat(shop.order("lost").story())
                .matches("2 attempts: connection lost, then paid, after waiting " + SECONDS);
    }

    @Test
    void anOrderThatIsGivenUpNamesEveryFailure() {
        shop.gatewayBehaves("{\"refuse\":true}");

        assertThat(shop.order("given up").story())
                .matches("3 attempts: connection refused, connection refused, connection refused, then given up, "
                        + "after waiting " + SECONDS + " and " + SECONDS);
    }

    @Test
    void aDeclinedPaymentIsNotTriedAgain() {
        assertThat(shop.order("declined", "10001.00").story()).isEqualTo("1 attempt: 402, not tried again");
    }

    @Test
    void theBreakerIsToldByTheOrdersThatMoveIt() {
        shop.gatewayBehaves("{\"refuse\":true}");
        shop.order("down-1");
        shop.order("down-2");
        assertThat(shop.order("down-3").texts("/story")).contains("the circuit breaker opened");
        assertThat(shop.order("down-4").story()).isEqualTo("refused by the circuit breaker: try again in 5 s");

        time.advance(Duration.ofSeconds(5));
        assertThat(shop.order("probe that fails").texts("/story"))
                .contains("let through as a probe", "the probe failed: the circuit breaker stays open");

        time.advance(Duration.ofSeconds(20));
        shop.gatewayBehaves("{}");
        assertThat(shop.order("probe").story()).isEqualTo("let through as a probe; paid at the first attempt");
        assertThat(shop.order("up").texts("/story"))
                .containsExactlyInAnyOrder("the circuit breaker closed", "paid at the first attempt");
    }

    @Test
    void theBulkheadsQueueAndItsRefusalsAreTold() {
        shop.gatewayBehaves("{\"latency\":\"PT1M\"}");
        List<CompletableFuture<Answer>> running = IntStream.range(0, 4)
                .mapToObj(i -> shop.startOrder("running-" + i, "42.00"))
                .toList();
        await().until(() -> shop.meter("resilience.bulkhead.running") == 4);
        CompletableFuture<Answer> queued = shop.startOrder("queued", "42.00");
        await().untilAsserted(() -> {
            assertThat(shop.meter("resilience.bulkhead.queued")).isEqualTo(1);
            assertThat(time.parkedThreads()).isEqualTo(1);
        });
        assertThat(shop.order("refused").story()).isEqualTo("refused by the bulkhead: try again in 1 s");

        time.advance(Duration.ofMillis(400));
        shop.gatewayBehaves("{}");

        assertThat(queued.join().texts("/story"))
                .containsExactly("waited 0.40 s in the bulkhead's queue", "paid at the first attempt");
        assertThat(running)
                .allSatisfy(order -> assertThat(order.join().story()).isEqualTo("paid at the first attempt"));
    }

    @Test
    void aKeyThatIsTakenIsTold() {
        shop.gatewayBehaves("{\"latency\":\"PT1M\"}");
        CompletableFuture<Answer> first = shop.startOrder("taken", "42.00");
        await().until(() -> shop.meter("resilience.bulkhead.running") == 1);
        assertThat(shop.order("taken").story())
                .matches("refused: an order with this key is on its way: try again in \\d+ s");

        shop.gatewayBehaves("{}");
        first.join();

        assertThat(shop.order("taken", "43.00").story()).isEqualTo("refused: this key belongs to another order");
    }

    @Test
    void aRequestThatIsNoOrderHasNoStory() {
        Answer withoutKey = shop.post("/orders", "{\"customer\":\"Ada\",\"item\":\"Teapot\",\"amount\":42}");

        assertThat(withoutKey.status()).isEqualTo(400);
        assertThat(withoutKey.body().has("story")).isFalse();
    }
}
