package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Browser.Scheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;

/** How the page looks, in a real browser: nothing is cut off on a telephone, and every text can be read. */
@PageTest
class PageLooksTests {

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

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void everyTextCanBeRead(Scheme scheme) {
        browser.resize(1280, 1000, false);
        browser.prefer(scheme);
        new ShopPage(browser, port).showEverything();
        assertThat(browser.script("return document.scrollingElement.scrollWidth")
                        .asInt())
                .isLessThanOrEqualTo(1280);
        assertThat(faintTexts()).isEmpty();
        lightEveryLine();
        assertThat(faintTexts()).isEmpty();
        assertThat(violations()).isEmpty();

        browser.disconnect(true);
        waiting().until(() -> browser.text("#offline").contains("as of"));
        assertThat(faintTexts()).isEmpty();
        browser.disconnect(false);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void nothingIsCutOffOnATelephone(Scheme scheme) {
        browser.resize(375, 812, true);
        browser.prefer(scheme);
        new ShopPage(browser, port).showEverything();

        assertThat(browser.script("return document.scrollingElement.scrollWidth")
                        .asInt())
                .isLessThanOrEqualTo(375);
        assertThat(beyond(375)).isEmpty();
        lightEveryLine();
        assertThat(faintTexts()).isEmpty();
        assertThat(violations()).isEmpty();
        assertThat(browser.script("return document.getElementById('one').getBoundingClientRect().bottom")
                        .asInt())
                .isLessThan(400);
    }

    @Test
    void theChecksSeeAFault() {
        browser.resize(375, 812, true);
        browser.prefer(Scheme.LIGHT);
        new ShopPage(browser, port);
        browser.script("document.getElementById('result').innerHTML ="
                + " '<b id=faint>faint</b> <b id=wide>wide</b> <b id=cut>cut cut cut cut cut</b> <img src=\"data:,\">';"
                + "faint.style.color = 'rgba(0, 0, 0, .4)';"
                + "wide.style.cssText = 'display: block; width: 500px';"
                + "cut.style.cssText = 'display: block; width: 50px; overflow: hidden; white-space: nowrap';");

        assertThat(faintTexts()).singleElement().asString().startsWith("faint");
        assertThat(beyond(375))
                .anyMatch(found -> found.startsWith("B#wide"))
                .anyMatch(found -> found.startsWith("B#cut"));
        assertThat(violations()).anyMatch(found -> found.startsWith("image-alt"));
    }

    private static List<String> faintTexts() {
        return texts(browser.script(source() + "return faintTexts(4.5)"));
    }

    private static void lightEveryLine() {
        browser.script("document.querySelectorAll('[data-kind]').forEach(line => line.classList.add('lit'))");
    }

    /** What axe-core has against the page itself; the dashboard in its frame has tests of its own. */
    private static List<String> violations() {
        browser.script(resource("axe.min.js"));
        browser.script("window.found = undefined; axe.run({ exclude: ['iframe'] }).then(all => { window.found ="
                + " all.violations.map(one => `${one.id}: ${one.nodes.map(node => node.target).join(' ')}`); })");
        waiting()
                .until(() -> browser.script("return window.found !== undefined").asBoolean());
        return texts(browser.script("return window.found"));
    }

    private static List<String> beyond(int width) {
        return texts(browser.script(source() + "return beyond(" + width + ")"));
    }

    private static List<String> texts(JsonNode found) {
        return found.valueStream().map(JsonNode::asString).toList();
    }

    private static String source() {
        return resource("looks.js");
    }

    private static String resource(String path) {
        try {
            return new ClassPathResource(path).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
