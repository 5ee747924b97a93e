package dev.resilience.sample;

import static dev.resilience.sample.ShopPage.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.sample.Browser.Scheme;
import dev.resilience.sample.DashboardApplication.Warehouse;
import dev.resilience.spring.ResilienceRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;

/** The dashboard in a real browser: what it shows of an outage, what operators do by it, and what must not happen. */
class DashboardPageTests {

    private static final String MARKUP = "<img src=x onerror=\"document.title='hacked'\">";
    private static final Path PICTURES = Path.of(System.getProperty("screenshots", "target/screenshots"));

    private static Browser browser;
    private static ConfigurableApplicationContext application;

    private ResilienceRegistry registry;
    private Warehouse warehouse;

    @BeforeAll
    static void start() {
        browser = Browser.start();
        application = DashboardApplication.start();
        registry(application).getOrCreate(CircuitBreaker.class, MARKUP, "default");
    }

    @AfterAll
    static void close() throws IOException {
        if (application != null) {
            application.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        registry = registry(application);
        warehouse = application.getBean(Warehouse.class);
        warehouse.goDown(false);
        registry.reset();
        warehouse.order("4711");
        callWarehouse(1);
        browser.resize(1280, 900, false);
        browser.prefer(Scheme.LIGHT);
        open(application);
    }

    @AfterEach
    void theConsoleIsClean() {
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void anOutageIsUnderstoodByThePageAlone() {
        assertThat(browser.text("#calm")).matches("None of \\d+ policies refuses calls, runs out or is full\\.");

        warehouse.goDown(true);
        callWarehouse(3);

        waiting().untilAsserted(() -> assertThat(texts(".sentence")).hasSize(2));
        assertThat(texts(".sentence"))
                .anySatisfy(sentence -> assertThat(sentence)
                        .matches("Circuit breaker warehouse is open and refuses calls, since \\d\\d:\\d\\d:\\d\\d "
                                + "\\(\\d+ m?s\\)\\. Next probe in (1 h|59 min)\\."))
                .anySatisfy(sentence -> assertThat(sentence).startsWith("Retry warehouse no longer helps"));
        assertThat(texts(".why"))
                .anySatisfy(why -> assertThat(why)
                        .isEqualTo("Opened because: 3 calls in a row failed. Last failure: java.net.ConnectException: "
                                + "Connection refused: warehouse.example.com:443."));
        assertThat(texts("#events p").get(0)).startsWith("closed → open, reason: 3 calls in a row failed");
        assertThat(browser.text("#announcer")).contains("In trouble: ", "circuit breaker warehouse");
        assertThat(browser.script("return document.title").asString()).startsWith("(2) Resilience of shop");
    }

    @Test
    void aBreakerIsForcedOpenAfterAConfirmation() {
        details("circuit-breaker", "warehouse");
        press("Force open");
        assertThat(browser.text("#dialog-title")).isEqualTo("Force open: circuit breaker warehouse?");
        browser.click("#dialog-cancel");
        assertThat(registry.circuitBreaker("warehouse").currentState()).isEqualTo(CircuitState.CLOSED);

        press("Force open");
        browser.click("#dialog-confirm");

        waiting().until(() -> browser.text("#trouble").contains("Circuit breaker warehouse is forced open"));
        assertThat(registry.circuitBreaker("warehouse").currentState()).isEqualTo(CircuitState.FORCED_OPEN);
        assertThat(browser.script("return document.getElementById('dialog').open")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void aPolicyIsChangedForATime() {
        details("bulkhead", "warehouse");
        fill("select", "max-concurrent");
        fill("input", "2");
        fill("label:nth-of-type(3) input", "10m");
        browser.click(".change button");
        assertThat(browser.text("#dialog-text")).isEqualTo("max-concurrent: 4 → 2, for 10m.");
        browser.click("#dialog-confirm");

        waiting().until(() -> registry.bulkhead("warehouse").policy().maxConcurrent() == 2);
        waiting().until(() -> !texts(".changed").isEmpty());
        assertThat(texts(".changed").get(0))
                .matches("Differs from the configuration until \\d\\d:\\d\\d:\\d\\d: "
                        + "max-concurrent is 2 and configured as 4");

        fill("input", "many");
        browser.click(".change button");
        browser.click("#dialog-confirm");
        waiting().until(() -> browser.text("#dialog-answer").contains("Refused with status 400"));
        assertThat(browser.text("#dialog-answer")).contains("many");
    }

    @Test
    void onlyWhatMayChangeIsOffered() {
        details("retry", "warehouse");

        waiting().until(() -> browser.text(".entry").contains("worstCaseWait"));
        assertThat(texts(".change option"))
                .contains("max-attempts", "backoff.base-delay")
                .doesNotContain("worstCaseWait", "enabled", "budget");
    }

    @Test
    void aConfirmationShowsTheValueAsItIsNow() {
        details("bulkhead", "warehouse");
        fill("select", "max-queue");
        registry.reconfigure(Bulkhead.class, "warehouse", Map.of("max-queue", 9));
        waiting().until(() -> browser.text(".entry").contains("max-queue9"));
        fill("input", "8");
        browser.click(".change button");

        assertThat(browser.text("#dialog-text")).isEqualTo("max-queue: 9 → 8, until the next restart.");
        registry.reconfigure(Bulkhead.class, "warehouse", Map.of("max-queue", 50));
    }

    @Test
    void atMostTwelveInTroubleAreShownAndNoneGrowsOld() {
        for (int i = 12; i >= 0; i--) {
            registry.getOrCreate(CircuitBreaker.class, "m" + i, "default").forceOpen();
        }
        waiting().until(() -> browser.text("#calm").startsWith("And 1 more"));
        registry.circuitBreaker("warehouse").forceOpen();
        waiting().until(() -> browser.text("#calm").startsWith("And 2 more"));

        assertThat(texts(".sentence"))
                .hasSize(12)
                .anyMatch(sentence -> sentence.startsWith("Circuit breaker warehouse "));
        registry.circuitBreakers().keySet().stream()
                .filter(name -> name.matches("m\\d+"))
                .toList()
                .forEach(name -> registry.remove(CircuitBreaker.class, name));
    }

    @Test
    void whatChangedLongAgoHasItsDay() {
        browser.script("const ask = window.fetch; window.fetch = (...all) => ask(...all).then(async answer => {"
                + "const data = await answer.json(); for (const event of data.events ?? [])"
                + " event.at = new Date(Date.parse(event.at) - 172_800_000).toISOString();"
                + "return new Response(JSON.stringify(data), {headers: answer.headers}); })");
        registry.circuitBreaker("warehouse").forceOpen();
        waiting().untilAsserted(() -> {
            assertThat(texts("#events time").get(0)).matches("\\d+ \\w{3} \\d\\d:\\d\\d:\\d\\d");
            assertThat(texts("#events p").get(0)).startsWith("closed → forced open");
        });
    }

    @Test
    void theRecordsOfAnIdempotencyKeyAreLookedUp() {
        details("idempotency", "orders");
        press("Look up");
        browser.script("document.querySelector('#dialog-fields input').value = '4711'");
        browser.click("#dialog-confirm");

        waiting().until(() -> browser.text("#dialog-answer").contains("COMPLETED"));
    }

    @Test
    void markupInANameIsText() {
        registry.circuitBreaker(MARKUP).forceOpen();

        waiting().until(() -> browser.text("#trouble").contains(MARKUP));
        details("circuit-breaker", MARKUP);
        press("Close");

        assertThat(browser.text("#dialog-title")).isEqualTo("Close: circuit breaker " + MARKUP + "?");
        assertThat(browser.script("return document.querySelectorAll('img').length")
                        .asInt())
                .isZero();
        assertThat(browser.script("return document.title").asString()).doesNotContain("hacked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a\\b", ".."})
    void aNameThatNoAddressCanHaveHasDetailsToo(String name) {
        registry.getOrCreate(CircuitBreaker.class, name, "default");
        waiting().until(() -> browser.text("#kinds").contains(name));
        details("circuit-breaker", name.replace("\\", "\\\\"));
        assertThat(browser.text(".entry")).contains("Policy", "failure-threshold");

        registry.remove(CircuitBreaker.class, name);
    }

    @Test
    void aKindOfTheApplicationsOwnAppearsWithoutALineOfScript() {
        browser.script(button("quota", "partners") + ".scrollIntoView()");
        waiting().until(() -> row("quota", "partners").contains("left41"));
        assertThat(row("quota", "partners")).contains("granted", "left41", "moodgenerous");
        waiting()
                .until(() -> row("quota", "partners").matches(".*granted[0-9.]+/s.*")
                        && !row("quota", "partners").contains("granted0/s"));
    }

    @Test
    void aRowIsOpenedAndClosedByTheKeyboard() {
        browser.script(button("circuit-breaker", "warehouse") + ".focus()");
        browser.press(Browser.Key.ENTER);
        waiting().until(() -> browser.text(".details").contains("Policy"));
        browser.press(Browser.Key.SPACE);

        assertThat(browser.script("return " + button("circuit-breaker", "warehouse") + ".ariaExpanded")
                        .asString())
                .isEqualTo("false");
    }

    @Test
    void aHiddenPageAsksNothing() {
        countRequests();
        hide(true);
        int before = requests();
        browser.script("return new Promise(done => setTimeout(done, 2500))");
        assertThat(requests()).isEqualTo(before);

        hide(false);
        waiting().until(() -> requests() > before);
    }

    @Test
    void aPageWithoutItsServerShowsOfWhenItIsAndGoesOnByItself() {
        browser.disconnect(true);
        try {
            waiting().until(() -> browser.text("#connection").matches("As of \\d\\d:\\d\\d:\\d\\d\\. .*not answer.*"));
            assertThat(browser.script("return document.body.className").asString())
                    .isEqualTo("stale");
            assertThat(violations()).isEmpty();
        } finally {
            browser.disconnect(false);
        }
        waiting().until(() -> browser.text("#connection").matches("\\d\\d:\\d\\d:\\d\\d"));
    }

    @Tag("long")
    @Test
    void aPageThatIsLeftOpenDoesNotGrow() {
        faster(100);
        int before = elements();
        for (int i = 0; i < 60; i++) {
            registry.circuitBreaker("warehouse").open();
            registry.circuitBreaker("warehouse").close();
        }
        waiting().until(() -> texts("#events li").size() == 100);
        countRequests();
        waiting().until(() -> requests() > 150);

        assertThat(texts("#events li")).hasSize(100);
        assertThat(elements()).isLessThan(before + 100 * 8);
    }

    @Test
    void aTokenAgainstForgedRequestsIsSentBack() {
        browser.script(
                "document.cookie = 'XSRF-TOKEN=a%2Bb'; window.sent = []; const real = window.fetch;"
                        + "window.fetch = (url, options) => { if (options.method !== 'POST') return real(url, options);"
                        + " window.sent.push(options.headers['X-XSRF-TOKEN']);"
                        + " return Promise.resolve(new Response('{}', {status: 403, headers: {'Content-Type': 'application/json'}}))}");
        details("circuit-breaker", "warehouse");
        press("Force open");
        browser.click("#dialog-confirm");

        waiting().until(() -> browser.text("#dialog-answer").contains("403"));
        assertThat(browser.text("#dialog-answer")).contains("CSRF token", "CookieCsrfTokenRepository");
        assertThat(browser.script("return window.sent").toString()).isEqualTo("[\"a+b\"]");
        browser.script("document.cookie = 'XSRF-TOKEN=; max-age=0'");
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"375, LIGHT", "375, DARK", "1280, LIGHT", "1280, DARK"})
    void everyoneCanReadAndUseIt(int width, Scheme scheme) throws IOException {
        registry.circuitBreaker(MARKUP).forceOpen();
        warehouse.goDown(true);
        callWarehouse(3);
        browser.resize(width, 900, width < 500);
        browser.prefer(scheme);
        open(application);
        waiting().untilAsserted(() -> assertThat(texts(".sentence")).hasSize(3));
        details("circuit-breaker", "warehouse");
        details("quota", "partners");
        browser.script("document.querySelectorAll('details').forEach(each => each.open = true)");
        waiting().until(() -> browser.text(".entry").contains("Policy"));

        assertThat(violations()).isEmpty();
        assertThat(texts(browser.script(looks() + "return faintTexts(4.5)"))).isEmpty();
        assertThat(texts(browser.script(looks() + "return beyond(" + width + ")")))
                .allMatch(found -> found.startsWith("SPAN: "), "unseen labels for screen readers only");
        Files.createDirectories(PICTURES);
        Files.write(
                PICTURES.resolve(
                        "dashboard-" + width + "-" + scheme.name().toLowerCase(java.util.Locale.ROOT) + ".png"),
                browser.screenshot());

        press("Force open");
        assertThat(violations()).isEmpty();
        browser.click("#dialog-cancel");
    }

    @Test
    void theChecksSeeAFault() {
        browser.script("document.getElementById('search').parentElement.replaceWith(document.getElementById('search'));"
                + "document.getElementById('count').style.color = 'rgba(0, 0, 0, .4)'");

        assertThat(violations())
                .anyMatch(found -> found.startsWith("label: "))
                .anyMatch(found -> found.startsWith("color-contrast: "));
    }

    @Tag("long")
    @Test
    void twoThousandPoliciesAreSearchedAndOnlyThoseInSightAreDrawn() {
        try (ConfigurableApplicationContext large = DashboardApplication.start()) {
            for (int i = 0; i < 2000; i++) {
                registry(large).getOrCreate(CircuitBreaker.class, "host" + i, "default");
            }
            open(large);
            waiting().until(() -> browser.text("#count").startsWith("20"));
            browser.script("document.querySelectorAll('details').forEach(each => each.open = true)");
            browser.script("return new Promise(done => setTimeout(done, 1500))");
            assertThat(browser.script("return document.querySelectorAll('.row').length")
                            .asInt())
                    .isGreaterThan(2000);
            assertThat(browser.script("return document.querySelectorAll('.row .cell').length")
                            .asInt())
                    .isLessThan(500);

            browser.script("const search = document.getElementById('search'); search.value = 'HOST1234';"
                    + "search.dispatchEvent(new Event('input', {bubbles: true}))");
            assertThat(browser.text("#count")).startsWith("1 of 20");
            waiting().until(() -> row("circuit-breaker", "host1234").contains("closed"));
        }
    }

    @Test
    void withoutWriteAccessThereAreNoButtons() {
        try (ConfigurableApplicationContext readOnly =
                DashboardApplication.start("management.endpoint.resilience.access", "READ_ONLY")) {
            open(readOnly);
            details("circuit-breaker", "warehouse");

            waiting().until(() -> browser.text(".actions").equals("Write access to the endpoint is off."));
            assertThat(texts(".details button")).isEmpty();
        }
    }

    @Test
    void thePageSaysWhatToAddIfThePoliciesAreNotExposed() {
        try (ConfigurableApplicationContext alone =
                DashboardApplication.start("management.endpoints.web.exposure.include", "resiliencedashboard")) {
            open(alone);

            assertThat(browser.text("#notices")).contains("management.endpoints.web.exposure.include");
            details("circuit-breaker", "warehouse");
            assertThat(browser.text(".entry")).contains("management.endpoints.web.exposure.include");
        }
    }

    @Test
    void aRestartedApplicationIsShownAnew() {
        ConfigurableApplicationContext first = DashboardApplication.start();
        String port = first.getEnvironment().getRequiredProperty("local.server.port");
        registry(first).circuitBreaker("warehouse").forceOpen();
        open(first);
        waiting().until(() -> !texts(".sentence").isEmpty());
        faster(10);
        first.close();
        waiting().until(() -> browser.text("#connection").startsWith("As of"));

        try (ConfigurableApplicationContext second = DashboardApplication.start("server.port", port)) {
            waiting().until(() -> texts(".sentence").isEmpty());
            assertThat(browser.text("#connection")).matches("\\d\\d:\\d\\d:\\d\\d");
            assertThat(texts("#events li")).isEmpty();
            assertThat(second.isRunning()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"-2, 0 s", "2, 2 h"})
    void aClockOfTheServerThatJumpsLeavesRatesAndTimesReadable(int hours, String duration) {
        warehouse.goDown(true);
        callWarehouse(3);
        waiting().until(() -> texts(".sentence").size() == 2);

        changeAnswers("data.now = new Date(Date.parse(data.now) + " + hours + " * 3600000).toISOString()");

        waiting()
                .untilAsserted(() -> assertThat(texts(".sentence"))
                        .anySatisfy(sentence -> assertThat(sentence)
                                .matches(".* is open and refuses calls, since [\\d:]+ \\(" + duration
                                        + "\\)\\. Next probe .*")));
        for (int i = 0; i < 50; i++) {
            assertThatThrownBy(warehouse::find).isInstanceOf(CircuitOpenException.class);
        }
        waiting().until(() -> row("circuit-breaker", "warehouse").matches(".*[1-9][\\d.]*/s.*"));
        assertThat(browser.script("return document.body.textContent").asString())
                .doesNotContain("NaN", "Infinity");
    }

    @Test
    void severalInstancesAtOneAddressAreSaidToBeSo() {
        changeAnswers("window.other = !window.other; if (window.other) data.instance = 'another';"
                + " data.kinds ??= {}; data.warnings ??= []"); // as they come from one that the page does not know
        faster(10);

        waiting().until(() -> browser.text("#notices").contains("Several instances of the application answer"));
    }

    private static void changeAnswers(String statement) {
        browser.script("const real = window.fetch; window.fetch = async (url, options) => {"
                + " const data = await (await real(url, options)).json(); " + statement + ";"
                + " return new Response(JSON.stringify(data), {headers: {'Content-Type': 'application/json'}}) }");
    }

    private static ResilienceRegistry registry(ConfigurableApplicationContext of) {
        return of.getBean(ResilienceRegistry.class);
    }

    private static void open(ConfigurableApplicationContext of) {
        String port = of.getEnvironment().getRequiredProperty("local.server.port");
        browser.open("http://localhost:" + port + "/actuator/resiliencedashboard");
        waiting().until(() -> browser.text("#connection").matches("\\d\\d:\\d\\d:\\d\\d"));
    }

    private void callWarehouse(int times) {
        for (int i = 0; i < times; i++) {
            try {
                warehouse.find();
            } catch (Exception expected) {
                assertThat(expected).isInstanceOf(ConnectException.class);
            }
        }
    }

    /** An expression for the button of a policy's row. */
    private static String button(String kind, String name) {
        return "[...document.querySelectorAll('.row .name')].find(each => each.firstChild.textContent === '"
                + name.replace("'", "\\'") + "' && each.closest('.kind').querySelector('h3').textContent.toLowerCase()"
                + ".startsWith('" + kind.replace('-', ' ') + " '))";
    }

    private static String row(String kind, String name) {
        return browser.script("return " + button(kind, name) + "?.closest('.row').textContent ?? ''")
                .asString();
    }

    /** Opens a row, and waits until its details are there. */
    private static void details(String kind, String name) {
        browser.script(button(kind, name) + ".click()");
        waiting().until(() -> !row(kind, name).contains("Loading"));
    }

    private static void press(String action) {
        browser.script("[...document.querySelectorAll('.actions button')].find(each => each.textContent === '" + action
                + "').click()");
    }

    private static void fill(String field, String value) {
        browser.script("const field = document.querySelector('.change " + field + "'); field.value = '" + value
                + "'; field.dispatchEvent(new Event('change'))");
    }

    private static void countRequests() {
        browser.script("window.asked = 0; const real = window.fetch;"
                + "window.fetch = (...all) => { window.asked++; return real(...all); }");
    }

    private static int requests() {
        return browser.script("return window.asked").asInt();
    }

    private static void faster(int times) {
        browser.script("const real = window.setTimeout; window.setTimeout = (f, ms) => real(f, ms / " + times + ")");
    }

    private static void hide(boolean isHidden) {
        browser.script("Object.defineProperty(document, 'hidden', {value: " + isHidden + ", configurable: true});"
                + "document.dispatchEvent(new Event('visibilitychange'))");
    }

    private static int elements() {
        return browser.script("return document.querySelectorAll('*').length").asInt();
    }

    private static List<String> texts(String selector) {
        return texts(browser.script(
                "return [...document.querySelectorAll('" + selector + "')].map(each => each.textContent)"));
    }

    private static List<String> texts(JsonNode found) {
        return found.valueStream().map(JsonNode::asString).toList();
    }

    /** What axe-core finds wrong, with the elements. */
    private static List<String> violations() {
        return texts(browser.script(source("axe.min.js")
                + "; return axe.run().then(found => found.violations.map(each => each.id + ': '"
                + " + each.nodes.map(node => node.html + ' ' + node.failureSummary).join(' | ')))"));
    }

    private static String looks() {
        return source("looks.js");
    }

    private static String source(String resource) {
        try {
            return new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
