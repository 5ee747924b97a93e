package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What the page does, in a real browser. */
@PageTest
class PageTests {

    private static Browser browser;

    @LocalServerPort
    int port;

    private ShopPage page;

    @BeforeAll
    static void startBrowser() {
        browser = Browser.start();
        browser.resize(1200, 900, false);
    }

    @AfterAll
    static void closeBrowser() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        page = new ShopPage(browser, port);
    }

    @AfterEach
    void theConsoleIsClean() {
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void anOrderSaysHowItWasPaid() {
        page.gatewayBehaves("{\"failNext\":2}");

        assertThat(page.click("#one"))
                .matches("Order \\d+: 3 attempts: 503, 503, then paid, "
                        + "after waiting \\d\\.\\d\\d s and \\d\\.\\d\\d s\\.");
        assertThat(page.stories()).hasSize(1).first().asString().startsWith("3 attempts: 503, 503, then paid");
    }

    @Test
    void anOrderThatIsSentAgainIsAnsweredFromTheStore() {
        browser.click("#again");
        assertThat(browser.text("#result")).isEqualTo("There is no order yet that could be sent again.");
        page.click("#one");

        assertThat(page.click("#again")).matches("Order \\d+: answered from the store, nothing charged\\.");
        waiting().until(() -> browser.text("#charges").equals("1 (total 42)"));
    }

    @Test
    void ofTwentyOrdersAtOnceTheBulkheadRefusesSome() {
        page.gatewayBehaves("{\"latency\":\"PT0.7S\"}");

        assertThat(page.click("#twenty")).matches("20 at once: .*\\d+ refused.*");

        assertThat(page.stories()).hasSize(20).anyMatch("Refused by the bulkhead: try again in 1 s."::equals);
        waiting().until(() -> browser.text("#bulkhead").equals("0 of 4 run, 0 of 1 wait"));
    }

    @Test
    void steadyTrafficGoesOnUntilItIsStopped() {
        browser.click("#traffic");
        waiting().until(() -> page.stories().size() >= 3);
        assertThat(pressed()).isEqualTo("true");

        browser.click("#traffic");

        assertThat(pressed()).isEqualTo("false");
        assertThat(browser.text("#result")).isEqualTo("Steady traffic has stopped.");
    }

    @Test
    void theBreakerOpensCountsDownAndClosesAgain() {
        page.gatewayBehaves("{\"refuse\":true}");
        assertThat(page.click("#one")).startsWith("Not placed: 3 attempts: ");
        page.click("#one");
        assertThat(page.click("#one")).contains("the circuit breaker opened");
        waiting().until(() -> page.state().equals("open"));
        assertThat(page.click("#one")).matches("Not placed: refused by the circuit breaker: try again in \\d s\\.");
        double left = secondsLeft();
        waiting().until(() -> page.countdown().matches(".*in \\d\\.\\d s") && secondsLeft() < left);

        page.gatewayBehaves("{}");
        waiting().until(() -> page.countdown().endsWith("The next order is the probe."));
        assertThat(page.click("#one")).contains("let through as a probe");
        waiting().until(() -> page.state().equals("half-open"));
        assertThat(page.click("#one")).contains("the circuit breaker closed");
        waiting().until(() -> page.state().equals("closed"));
    }

    @Test
    void anOpenBreakerSaysWhyItOpenedAndHowItsProbesFared() {
        browser.script("""
                const { fetch } = window;
                window.fetch = async (path, options) => {
                  const answer = await fetch(path, options);
                  if (!path.endsWith('/circuit-breaker/gateway')) return answer;
                  const entry = await answer.json();
                  Object.assign(entry.state, { state: 'OPEN', reason: '3 failed calls in a row', failedProbes: 2,
                    lastFailure: 'java.net.ConnectException', since: new Date(Date.now() - 1000).toISOString(),
                    nextProbe: new Date(Date.now() + 60_000).toISOString(), probeDue: false });
                  return new Response(JSON.stringify(entry));
                };""");

        waiting().until(() -> page.countdown().matches(".*in [56]\\d\\.\\d s"));

        assertThat(browser.text("#breaker-details"))
                .contains("Reason3 failed calls in a row", "Last failureConnectException", "Failed probes2");
    }

    @Test
    void theKeyboardAloneBreaksTheGatewayOrdersAndMendsIt() {
        page.tabTo("errorRate");
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle")
                        .asString())
                .isEqualTo("solid");
        browser.press(Browser.Key.END);
        waiting()
                .until(() -> new Shop(port)
                                .get("/gateway/behaviour")
                                .body()
                                .path("errorRate")
                                .asDouble()
                        == 1);
        page.tabTo("refuse");
        browser.press(Browser.Key.SPACE);
        waiting()
                .until(() -> new Shop(port)
                        .get("/gateway/behaviour")
                        .body()
                        .path("refuse")
                        .asBoolean());
        browser.press(Browser.Key.SPACE);
        waiting()
                .until(() -> !new Shop(port)
                        .get("/gateway/behaviour")
                        .body()
                        .path("refuse")
                        .asBoolean());

        page.tabTo("one");
        browser.press(Browser.Key.ENTER);
        assertThat(page.result()).startsWith("Not placed: 3 attempts: 503, 503, 503, then given up");

        page.tabTo("errorRate");
        browser.press(Browser.Key.HOME);
        browser.press(Browser.Key.ARROW_RIGHT);
        waiting()
                .until(() -> new Shop(port)
                                .get("/gateway/behaviour")
                                .body()
                                .path("errorRate")
                                .asDouble()
                        == 0.05);
        page.tabTo("mend");
        browser.press(Browser.Key.ENTER);
        waiting().until(() -> browser.text("#health").equals("works well"));
        page.tabTo("one");
        browser.press(Browser.Key.ENTER);
        waiting().until(() -> browser.text("#result").endsWith("paid at the first attempt."));
    }

    @Test
    void aShopThatDoesNotAnswerIsSaidToBeSo() {
        browser.disconnect(true);
        waiting()
                .until(() -> browser.script("return !document.getElementById('offline').hidden")
                        .asBoolean());
        assertThat(page.click("#one")).isEqualTo("Not placed: the shop does not answer.");

        browser.disconnect(false);
        waiting()
                .until(() -> browser.script("return document.getElementById('offline').hidden")
                        .asBoolean());
    }

    private String pressed() {
        return browser.script("return document.getElementById('traffic').getAttribute('aria-pressed')")
                .asString();
    }

    /** What the countdown shows; 0 once it is over. */
    private double secondsLeft() {
        String text = page.countdown();
        return text.endsWith(" s") ? Double.parseDouble(text.replaceAll(".* in | s$", "")) : 0;
    }
}
