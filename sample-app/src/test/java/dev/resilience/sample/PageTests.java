package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What the page does, in a real browser. */
@PageTest
class PageTests {

    private static Browser browser;

    @LocalServerPort
    int port;

    private ShopPage page;
    private Shop shop;

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
        shop = new Shop(port);
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
        waiting()
                .until(() ->
                        page.stories().stream().anyMatch(story -> story.startsWith("3 attempts: 503, 503, then paid")));
    }

    @Test
    void anOrderThatIsSentAgainIsAnsweredFromTheStore() {
        browser.click("#again");
        assertThat(browser.text("#result")).isEqualTo("There is no order yet that could be sent again.");
        page.click("#one");
        int charges = shop.charges();

        assertThat(page.click("#again")).matches("Order \\d+: answered from the store, nothing charged\\.");
        assertThat(shop.charges()).isEqualTo(charges);
    }

    @Test
    void ordersOfOthersAppearEqualOnesAreOneRowAndAReloadKeepsThem() {
        String story = "Refused: this key belongs to another order.";
        shop.order("elsewhere");
        for (int i = 0; i < 5; i++) {
            shop.order("elsewhere", "43.00");
        }

        waiting().until(() -> page.orders(story).equals(List.of("5 orders")));
        page.reload();
        waiting().until(() -> page.orders(story).equals(List.of("5 orders")));
    }

    @Test
    void ofTwentyOrdersAtOnceTheBulkheadRefusesSome() {
        assertThat(page.play("20 at once")).matches("20 at once: \\d+ placed, \\d+ refused, 0 failed\\.");

        waiting().until(() -> page.stories().contains("Refused by the bulkhead: try again in 1 s."));
        waiting().until(() -> browser.text("#shop-threads").equals("0 of 4"));
        waiting().until(() -> browser.text("#health").equals("works well"));
    }

    @Test
    void theLoadIsASliderThatAReloadKeeps() {
        browser.script("const { load } = document.getElementById('behaviour').elements; load.value = 20;"
                + "load.dispatchEvent(new Event('change', { bubbles: true }))");
        int before = page.orders();
        waiting().until(() -> page.orders() > before + 20);
        page.reload();
        waiting().until(() -> loadOnThePage() == 20);

        browser.script("const { load } = document.getElementById('behaviour').elements; load.value = 0;"
                + "load.dispatchEvent(new Event('change', { bubbles: true }))");
        waiting().until(() -> shop.get("/show").body().path("load").asInt() == 0);
    }

    @Test
    void theBreakerOpensCountsDownAndClosesAgain() {
        assertThat(page.play("It is down")).startsWith("Not placed: 3 attempts: ");
        waiting().until(() -> page.state().equals("open"));
        waiting().until(() -> browser.text("#result").contains("refused by the circuit breaker: try again in"));
        double left = secondsLeft();
        waiting().until(() -> page.countdown().matches(".* in \\d\\.\\d s") && secondsLeft() < left);

        page.play("It recovers");
        waiting().until(() -> page.stories().stream().anyMatch(story -> story.contains("circuit breaker closed")));
        waiting().until(() -> page.state().equals("closed"));
        assertThat(page.countdown()).isEqualTo("orders pass");
    }

    @Test
    void theAnnotationThatHasJustActedIsLit() {
        waiting().until(() -> lit().isEmpty());
        shop.gatewayBehaves("{\"failNext\":2}");
        shop.order("retried");
        waiting().until(() -> lit().equals(List.of("retry")));
        assertThat(browser.text("#acts")).matches("Just now: @Retryable calls again \\(\\d+\\)\\.");

        shop.order("retried");
        waiting().until(() -> lit().contains("idempotency"));

        browser.click("#force-open");
        waiting().until(() -> page.state().equals("forced open"));
        shop.order("refused");
        waiting().until(() -> lit().contains("circuit-breaker"));
        browser.click("#reset");
        waiting().until(() -> page.state().equals("closed"));
        waiting().until(() -> lit().isEmpty());
    }

    @Test
    void nothingJumpsWhenTheBreakerOpens() {
        List<String> before = places();

        page.play("It is down");
        waiting().until(() -> page.state().equals("open") && page.countdown().contains("probe"));

        assertThat(places()).isEqualTo(before);
    }

    @Test
    void theOutageIsStartedAndStoppedAndPutsTheSwitchesBack() {
        browser.click("#start");
        waiting().until(() -> browser.text("#scene-title").equals("1. All is well"));
        waiting().until(() -> loadOnThePage() == 10);
        waiting().until(() -> browser.text("#scene-title").equals("2. Every third call fails"));
        waiting().until(() -> browser.text("#health").equals("misbehaves"));

        browser.click("#start");

        assertThat(browser.text("#scene-text")).isEqualTo("Stopped; the switches are back.");
        waiting().until(() -> browser.text("#health").equals("works well") && loadOnThePage() == 0);
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
    void aShopThatIsGoneLeavesItsLastValuesWithTheirTime() {
        browser.disconnect(true);
        waiting()
                .until(() -> browser.text("#offline")
                        .matches("The shop does not answer\\. All this is as of \\d\\d:\\d\\d:\\d\\d\\."));
        assertThat(browser.script("return document.body.classList.contains('outdated')"
                                + " && [...document.querySelectorAll('button, input')].every(one => one.disabled)")
                        .asBoolean())
                .isTrue();

        browser.disconnect(false);
        waiting()
                .until(() -> browser.script("return document.getElementById('offline').hidden"
                                + " && !document.getElementById('one').disabled")
                        .asBoolean());
    }

    @Tag("long")
    @Test
    void aShopThatIsGoneIsAskedLessAndLessOften() {
        browser.disconnect(true);
        browser.script("""
                const { fetch } = window;
                window.asked = [];
                window.fetch = (...request) => { window.asked.push(performance.now()); return fetch(...request); };""");

        waiting().until(() -> browser.script("return window.asked.length > 2").asBoolean());

        assertThat(browser.script("return window.asked[2] - window.asked[0]").asDouble())
                .isGreaterThan(3_900);
        browser.disconnect(false);
        waiting()
                .until(() -> browser.script("return document.getElementById('offline').hidden")
                        .asBoolean());
    }

    private int loadOnThePage() {
        return Integer.parseInt(browser.script("return document.getElementById('behaviour').elements.load.value")
                .asString());
    }

    /** The kinds whose annotation is lit. */
    private List<String> lit() {
        return browser.script("return [...document.querySelectorAll('#java .lit')].map(line => line.dataset.kind)")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    /** Where the buttons and the sections begin. */
    private List<String> places() {
        return browser.script("return [...document.querySelectorAll('button, input, section, svg')]"
                        + ".map(one => `${one.id || one.name || one.className} ${one.getBoundingClientRect().top}`)")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    /** What the countdown shows; 0 once it is over. */
    private double secondsLeft() {
        String text = page.countdown();
        return text.endsWith(" s") ? Double.parseDouble(text.replaceAll(".* in | s$", "")) : 0;
    }
}
