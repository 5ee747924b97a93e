package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Shop.Answer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class ReadTimeoutTests {

    @Test
    void aGatewayThatDoesNotAnswerInTimeIsCalledAgain() {
        try (ConfigurableApplicationContext running = SpringApplication.run(
                SampleApplication.class,
                "--server.port=0",
                "--shop.gateway.port=0",
                "--spring.http.clients.read-timeout=200ms",
                "--resilience.retry.gateway.backoff.base-delay=1ms")) {
            Shop shop = new Shop(running.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
            shop.gatewayBehaves("{\"hang\":\"PT1M\"}");

            Answer failed = shop.order("hanging");

            assertThat(failed.status()).isEqualTo(502);
            assertThat(failed.text("/detail")).isEqualTo("The payment gateway does not work: no answer in time");
            assertThat(failed.story())
                    .startsWith("3 attempts: no answer in time, no answer in time, no answer in time, then given up");
        }
    }
}
