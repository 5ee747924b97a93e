package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Browser.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/**
 * Watches the guided outage from its beginning to its end, and takes the pictures and the recording of the README. They
 * go to {@code target/screenshots}, or where the system property {@code screenshots} says.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"shop.gateway.port=0", "spring.main.banner-mode=off"})
@Tag("long")
class GuidedOutageTests {

    private static final Path DIRECTORY = Path.of(System.getProperty("screenshots", "target/screenshots"));
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 1110;

    /** The seconds from one picture of the recording to the next. */
    private static final int STEP = 2;

    @LocalServerPort
    int port;

    @Test
    void theGuidedOutageIsShownFromBeginningToEnd() throws IOException {
        AnimatedGif recording = new AnimatedGif();
        Set<String> titles = new LinkedHashSet<>();
        try (Browser browser = Browser.start()) {
            browser.resize(WIDTH, HEIGHT, false);
            browser.prefer(Scheme.LIGHT);
            new ShopPage(browser, port);
            long began = System.nanoTime();
            browser.click("#start");
            for (int second = 1; second < 60; second += STEP) {
                long due = began + Duration.ofSeconds(second).toNanos();
                waiting().until(() -> System.nanoTime() >= due);
                recording.add(browser.screenshot(WIDTH, HEIGHT, .7), 90);
                titles.add(browser.text("#scene-title"));
                if (second == 27) {
                    keep("shop.png", browser.screenshot());
                    browser.prefer(Scheme.DARK);
                    keep("shop-dark.png", browser.screenshot());
                    browser.prefer(Scheme.LIGHT);
                }
            }
            waiting().until(() -> browser.text("#scene-title").equals("What a minute of trouble costs"));
            recording.add(browser.screenshot(WIDTH, HEIGHT, .7), 600);
            theShopHasDoneBetterThanItsTwin(new Shop(port).get("/show").body());
            assertThat(browser.complaints()).isEmpty();
        }
        assertThat(titles)
                .containsExactly(
                        "1. All is well",
                        "2. Every third call fails",
                        "3. The gateway is down",
                        "4. The gateway is back, and weak",
                        "5. The gateway hangs",
                        "6. Answers get lost");
        keep("outage.gif", recording.toBytes());
    }

    private static void theShopHasDoneBetterThanItsTwin(JsonNode show) {
        assertThat(sum(show, "shop", "paid", "retried")).isGreaterThan(sum(show, "twin", "paid"));
        assertThat(sum(show, "shop", "calls") * 5).isLessThan(sum(show, "twin", "calls"));
        assertThat(show.at("/shop/charges/doubles").asInt()).isZero();
        assertThat(show.at("/twin/charges/doubles").asInt()).isPositive();
        assertThat(show.at("/breaker/state").asString()).isEqualTo("CLOSED");
    }

    private static int sum(JsonNode show, String side, String... names) {
        int sum = 0;
        for (JsonNode second : show.path(side).path("seconds")) {
            for (String name : names) {
                sum += second.path(name).asInt();
            }
        }
        return sum;
    }

    private static void keep(String name, byte[] picture) throws IOException {
        assertThat(picture).hasSizeBetween(10_000, 1_200_000);
        Files.createDirectories(DIRECTORY);
        Files.write(DIRECTORY.resolve(name), picture);
    }
}
