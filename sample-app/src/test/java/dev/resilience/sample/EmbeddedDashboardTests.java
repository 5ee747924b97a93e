package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The starter's dashboard in the sample's page. */
@PageTest
class EmbeddedDashboardTests {

    private static Browser browser;

    @LocalServerPort
    int port;

    @BeforeAll
    static void startBrowser() {
        browser = Browser.start();
    }

    @AfterAll
    static void closeBrowser() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void theDashboardStandsOnTheRightAndShowsTheTroubleOfTheShop() {
        browser.resize(1280, 900, false);
        ShopPage page = new ShopPage(browser, port);
        assertThat(browser.script("return document.querySelector('.shop').getBoundingClientRect().right"
                                + " < document.getElementById('dashboard').getBoundingClientRect().left")
                        .asBoolean())
                .isTrue();

        page.play("It is down");

        waiting().until(() -> dashboard().contains("Circuit breaker gateway is open"));
        assertThat(browser.script("return document.getElementById('no-dashboard').hidden")
                        .asBoolean())
                .isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void onATelephoneTheDashboardStandsBelowTheShopAndFits() {
        browser.resize(375, 812, true);
        new ShopPage(browser, port);

        waiting().until(() -> dashboard().contains("gateway"));
        assertThat(browser.script("return document.querySelector('.shop').getBoundingClientRect().bottom"
                                + " < document.getElementById('dashboard').getBoundingClientRect().top")
                        .asBoolean())
                .isTrue();
        assertThat(browser.script("const { scrollWidth, clientWidth } ="
                                + " document.getElementById('dashboard').contentDocument.scrollingElement;"
                                + " return scrollWidth - clientWidth")
                        .asInt())
                .isLessThanOrEqualTo(0);
    }

    private static String dashboard() {
        return browser.script("return document.getElementById('dashboard').contentDocument.body.innerText")
                .asString()
                .replaceAll("\\s+", " ");
    }
}
