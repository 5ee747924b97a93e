package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Shop.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

@ShopTest
class GatewaySwitchesTests {

    private final Shop shop;

    GatewaySwitchesTests(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @BeforeEach
    void reset() {
        shop.post("/gateway/reset", "");
    }

    @Test
    void aNewBehaviourReplacesTheOldOne() {
        shop.gatewayBehaves("{\"errorRate\":0.25,\"latency\":\"PT1.5S\",\"refuse\":true}");
        assertThat(behaviour())
                .isEqualTo(
                        "{\"errorRate\":0.25,\"latency\":\"PT1.5S\",\"hang\":\"PT0S\",\"refuse\":true,"
                                + "\"rateLimited\":false,\"retryAfterSeconds\":1,\"failNext\":0,\"loseNext\":0,\"capacity\":0}");

        shop.gatewayBehaves("{\"failNext\":3}");
        assertThat(behaviour())
                .isEqualTo(
                        "{\"errorRate\":0.0,\"latency\":\"PT0S\",\"hang\":\"PT0S\",\"refuse\":false,"
                                + "\"rateLimited\":false,\"retryAfterSeconds\":1,\"failNext\":3,\"loseNext\":0,\"capacity\":0}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"errorRate\":1.1}",
                "{\"latency\":\"-PT1S\"}",
                "{\"failNext\":-1}",
                "{\"loseNext\":-1}",
                "{\"capacity\":-1}",
                "nonsense"
            })
    void whatCannotBeIsRefused(String behaviour) {
        Answer before = shop.get("/gateway/behaviour");

        assertThat(shop.put("/gateway/behaviour", behaviour).status()).isEqualTo(400);

        assertThat(shop.get("/gateway/behaviour")).isEqualTo(before);
    }

    private String behaviour() {
        return shop.get("/gateway/behaviour").body().toString();
    }
}
