package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Browser.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Takes the pictures of the README: orders of every kind and an open circuit breaker, in light and in dark. They go to
 * {@code target/screenshots}, or where the system property {@code screenshots} says.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"shop.gateway.port=0", "spring.application.name=shop-that-counts-from-zero"})
class ScreenshotTests {

    private static final Path DIRECTORY = Path.of(System.getProperty("screenshots", "target/screenshots"));

    @LocalServerPort
    int port;

    @Test
    void thePageIsShownInLightAndInDark() throws IOException {
        try (Browser browser = Browser.start()) {
            browser.resize(1240, 1000, false);
            browser.prefer(Scheme.LIGHT);
            new ShopPage(browser, port).showEverything();
            browser.resize(
                    1240,
                    browser.script("return document.documentElement.scrollHeight")
                            .asInt(),
                    false);
            keep("shop.png", browser.screenshot());

            browser.prefer(Scheme.DARK);
            keep("shop-dark.png", browser.screenshot());
        }
    }

    private static void keep(String name, byte[] picture) throws IOException {
        assertThat(picture).hasSizeBetween(10_000, 300_000);
        Files.createDirectories(DIRECTORY);
        Files.write(DIRECTORY.resolve(name), picture);
    }
}
