package dev.resilience.sample;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import tools.jackson.databind.JsonNode;

/** The shop's page in a browser, as its users see and use it. */
final class ShopPage {

    private static final List<String> NO_RESULT = List.of("", "No order yet.", "20 orders are on their way.");

    private final Browser browser;
    private final Shop shop;

    /** Opens the page; gateway and circuit breaker are as after a start. */
    ShopPage(Browser browser, int port) {
        this.browser = browser;
        this.shop = new Shop(port);
        shop.put("/show/load", "{\"ordersPerSecond\": 0}");
        shop.startAfresh();
        browser.open("http://localhost:" + port + "/");
        waiting().until(() -> state().equals("closed"));
    }

    static ConditionFactory waiting() {
        return await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(30));
    }

    /** Sets the gateway's behaviour and waits until the page shows it. */
    void gatewayBehaves(String behaviour) {
        shop.gatewayBehaves(behaviour);
        String health = behaviour.equals("{}") ? "works well" : "misbehaves";
        waiting().until(() -> browser.text("#health").equals(health));
    }

    /** Opens it again, as the browser's button does. */
    void reload() {
        browser.script("window.old = true; location.reload()");
        waiting().until(() -> browser.script("return !window.old").asBoolean() && !state().equals("…"));
    }

    /** How many orders are on the list, in all its rows. */
    int orders() {
        return browser.script("return [...document.querySelectorAll('#answers .what')]"
                        + ".reduce((all, what) => all + (parseInt(what.textContent) || 1), 0)")
                .asInt();
    }

    /** What the rows with this story say of their orders. */
    List<String> orders(String story) {
        return browser.script("return [...document.querySelectorAll('#answers li')]"
                        + ".filter(row => row.querySelector('.story').textContent === '" + story + "')"
                        + ".map(row => row.querySelector('.what').textContent)")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    /** Clicks the button with this text and gives what is said about it in the end. */
    String play(String scene) {
        browser.script("document.getElementById('result').textContent = '';"
                + "[...document.querySelectorAll('#scenes button')].find(button => button.textContent === '" + scene
                + "').click()");
        return result();
    }

    /** Clicks a button and gives what is said about it in the end. */
    String click(String button) {
        browser.script("document.getElementById('result').textContent = ''");
        browser.click(button);
        return result();
    }

    /** The result of the last order, as it is read aloud. */
    String result() {
        waiting().until(() -> !NO_RESULT.contains(browser.text("#result")));
        return browser.text("#result");
    }

    String state() {
        return browser.text("#state");
    }

    String countdown() {
        return browser.text("#countdown");
    }

    /** The stories on the list, the newest first. */
    List<String> stories() {
        return browser.script(
                        "return [...document.querySelectorAll('#answers .story')].map(story => story.textContent)")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    /** Goes on from field to field until the one with this id or name has the focus. */
    void tabTo(String idOrName) {
        for (int i = 0; i < 150; i++) {
            browser.press(Browser.Key.TAB);
            if (focused().equals(idOrName)) {
                return;
            }
        }
        throw new AssertionError("The tabulator key does not lead to " + idOrName);
    }

    private String focused() {
        return browser.script("const { id, name } = document.activeElement; return id || name || ''")
                .asString();
    }

    /** Orders of every kind, and an open breaker with its countdown. */
    void showEverything() {
        click("#one");
        click("#again");
        gatewayBehaves("{\"failNext\":2}");
        click("#one");
        gatewayBehaves("{\"loseNext\":1}");
        click("#one");
        gatewayBehaves("{\"rateLimited\":true,\"retryAfterSeconds\":8}");
        click("#one");
        gatewayBehaves("{\"refuse\":true}");
        click("#one");
        click("#one");
        waiting().until(() -> state().equals("open"));
        click("#one");
        waiting().until(() -> countdown().matches("a probe in \\d+\\.\\d s"));
    }
}
