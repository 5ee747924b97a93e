package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Shop.Answer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class RestartTests {

    @Test
    void anOrderIsAnsweredFromTheStoreAfterARestart(@TempDir Path directory) {
        String database = "--spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop");
        Shop shop;
        Answer first;
        try (ConfigurableApplicationContext running = start(database)) {
            shop = new Shop(port(running));
            first = shop.order("before the restart");
        }

        try (ConfigurableApplicationContext running = start(database)) {
            shop = shop.restartedAt(port(running));
            Answer again = shop.order("before the restart");

            assertThat(again.status()).isEqualTo(201);
            assertThat(again.text("/paymentId")).isEqualTo(first.text("/paymentId"));
            assertThat(again.story()).isEqualTo("answered from the store, nothing charged");
            assertThat(shop.charges()).isZero();
        }
    }

    private static ConfigurableApplicationContext start(String database) {
        return SpringApplication.run(SampleApplication.class, "--server.port=0", "--shop.gateway.port=0", database);
    }

    private static int port(ConfigurableApplicationContext running) {
        return running.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }
}
