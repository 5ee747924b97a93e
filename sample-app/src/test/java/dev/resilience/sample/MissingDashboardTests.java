package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"shop.gateway.port=0", "management.endpoints.web.exposure.include=health,resilience"})
class MissingDashboardTests {

    @LocalServerPort
    int port;

    @Test
    void aDashboardThatIsNotExposedIsReplacedByWhatToAdd() throws IOException {
        try (Browser browser = Browser.start()) {
            new ShopPage(browser, port);

            waiting()
                    .until(() -> browser.script("return !document.getElementById('no-dashboard').hidden"
                                    + " && document.getElementById('dashboard').hidden")
                            .asBoolean());
            assertThat(browser.text("#no-dashboard")).contains("management.endpoints.web.exposure.include");
        }
    }
}
