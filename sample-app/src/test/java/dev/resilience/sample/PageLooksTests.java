package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.sample.Browser.Scheme;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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

    @ParameterizedTest
    @EnumSource
    void everyTextCanBeRead(Scheme scheme) {
        browser.resize(1240, 1060, false);
        browser.prefer(scheme);
        new ShopPage(browser, port).showEverything();

        assertThat(faintTexts()).isEmpty();

        browser.script("document.getElementById('traffic').setAttribute('aria-pressed', 'true');"
                + "document.getElementById('offline').hidden = false;");
        assertThat(faintTexts()).isEmpty();
    }

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
        assertThat(faintTexts()).isEmpty();
    }

    @Test
    void theChecksSeeAFault() {
        browser.resize(375, 812, true);
        browser.prefer(Scheme.LIGHT);
        new ShopPage(browser, port);
        browser.script("document.getElementById('result').innerHTML ="
                + " '<b id=faint>faint</b> <b id=wide>wide</b> <b id=cut>cut cut cut cut cut</b>';"
                + "faint.style.color = 'rgba(0, 0, 0, .4)';"
                + "wide.style.cssText = 'display: block; width: 500px';"
                + "cut.style.cssText = 'display: block; width: 50px; overflow: hidden; white-space: nowrap';");

        assertThat(faintTexts()).singleElement().asString().startsWith("faint");
        assertThat(beyond(375))
                .anyMatch(found -> found.startsWith("B#wide"))
                .anyMatch(found -> found.startsWith("B#cut"));
    }

    private static List<String> faintTexts() {
        return texts(browser.script(source() + "return faintTexts(4.5)"));
    }

    private static List<String> beyond(int width) {
        return texts(browser.script(source() + "return beyond(" + width + ")"));
    }

    private static List<String> texts(JsonNode found) {
        return found.valueStream().map(JsonNode::asString).toList();
    }

    private static String source() {
        try {
            return new ClassPathResource("looks.js").getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
