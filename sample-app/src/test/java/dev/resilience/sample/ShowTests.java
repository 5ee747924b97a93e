package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What the page gets of this shop and of its twin. The minute of this application begins with the first test. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"shop.gateway.port=0", "spring.application.name=shop-with-an-empty-minute"})
class ShowTests {

    private final Shop shop;

    ShowTests(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @BeforeEach
    void startAfresh() {
        shop.startAfresh();
        await().until(() -> show().at("/twin/running").asInt() == 0);
    }

    @Test
    void anOrderThatFailsCostsTheGatewayThreeCallsAndTheTwins27() {
        int calls = sum("shop", "calls");
        int twinCalls = sum("twin", "calls");
        int twinFailed = sum("twin", "failed");
        shop.gatewayBehaves("{\"refuse\":true}");

        assertThat(shop.order("fails").status()).isEqualTo(502);

        await().atMost(Duration.ofSeconds(30)).until(() -> sum("twin", "failed") == twinFailed + 1);
        assertThat(sum("twin", "calls") - twinCalls).isEqualTo(27);
        assertThat(sum("shop", "calls") - calls).isEqualTo(3);
    }

    @Test
    void aLostAnswerIsChargedAgainByTheTwinAlone() {
        shop.gatewayBehaves("{\"loseNext\":1}");

        assertThat(shop.order("lost").status()).isEqualTo(201);

        await().untilAsserted(() -> {
            assertThat(show().at("/twin/charges/count").asInt()).isEqualTo(2);
            assertThat(show().at("/twin/charges/doubles").asInt()).isEqualTo(1);
        });
        assertThat(show().at("/shop/charges/count").asInt()).isEqualTo(1);
        assertThat(show().at("/shop/charges/doubles").asInt()).isZero();
    }

    @Test
    void ordersThatWentTheSameWayAreOneRow() {
        for (int i = 0; i < 3; i++) {
            shop.order("same-way-" + i);
        }
        shop.order("same-way-0");

        assertThat(row("paid at the first attempt").path("count").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(row("paid at the first attempt").path("outcome").asString()).isEqualTo("paid");
        assertThat(row("answered from the store, nothing charged")
                        .path("outcome")
                        .asString())
                .isEqualTo("stored");
    }

    @Test
    void theLoadEndsWhenNoPageHasLookedForFiveSeconds() {
        shop.put("/show/load", "{\"ordersPerSecond\": 20}");
        long began = System.nanoTime();
        int before = shop.charges();
        await().until(() -> shop.charges() > before + 10);
        assertThat(show().path("load").asInt()).isEqualTo(20);

        await().pollInterval(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(20))
                .until(() -> {
                    int charges = shop.charges();
                    Thread.sleep(300);
                    return charges == shop.charges();
                });

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(5));
        assertThat(show().path("load").asInt()).isZero();
    }

    @Test
    void aLoadOutOfRangeIsTheNearestOne() {
        shop.put("/show/load", "{\"ordersPerSecond\": 1000}");
        assertThat(show().path("load").asInt()).isEqualTo(50);

        shop.put("/show/load", "{\"ordersPerSecond\": -1}");
        assertThat(show().path("load").asInt()).isZero();
    }

    private JsonNode row(String story) {
        return show().path("orders")
                .valueStream()
                .filter(row -> row.path("story").asString().equals(story))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode show() {
        return shop.get("/show").body();
    }

    /** Since the start of the application; waits for the end of the second under way. */
    private int sum(String side, String name) {
        int before = show().at("/" + side + "/seconds").size();
        await().until(() -> show().at("/" + side + "/seconds").size() > before);
        return show().at("/" + side + "/seconds")
                .valueStream()
                .mapToInt(second -> second.path(name).asInt())
                .sum();
    }
}
