package dev.resilience.sample;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chromium without a window, driven through chromedriver by the WebDriver protocol (W3C), which is plain JSON over HTTP.
 * What WebDriver cannot do, such as dark mode, goes through chromedriver to Chromium's DevTools protocol.
 */
final class Browser implements AutoCloseable {

    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Process driver;
    private final Path profile;
    private final String session;

    private Browser(Process driver, Path profile) throws IOException {
        this.driver = driver;
        this.profile = profile;
        String service = "http://localhost:" + port(driver);
        JsonNode started = post(service + "/session", Map.of("capabilities", Map.of("alwaysMatch", capabilities())));
        this.session = service + "/session/" + started.path("sessionId").asString();
    }

    /** Skips the test where there is no Chromium. */
    static Browser start() {
        assumeTrue(
                Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
                "The page is not tested: there is no " + CHROMIUM + " with " + DRIVER
                        + ". On Debian: apt-get install chromium chromium-driver");
        try {
            Process driver = new ProcessBuilder(DRIVER.toString(), "--port=0")
                    .redirectErrorStream(true)
                    .start();
            try {
                return new Browser(driver, Files.createTempDirectory("chromium"));
            } catch (RuntimeException | IOException | Error failure) {
                driver.destroyForcibly();
                throw failure;
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private Map<String, Object> capabilities() {
        List<String> arguments = List.of(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--user-data-dir=" + profile);
        return Map.of(
                "goog:chromeOptions", Map.of("binary", CHROMIUM.toString(), "args", arguments),
                "goog:loggingPrefs", Map.of("browser", "ALL"));
    }

    private static String port(Process driver) throws IOException {
        BufferedReader output = driver.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher started = STARTED.matcher(line);
            if (started.find()) {
                return started.group(1);
            }
        }
        throw new IOException("chromedriver has not started");
    }

    void open(String url) {
        post(session + "/url", Map.of("url", url));
    }

    /** Runs the body of a function; what it returns must be JSON. */
    JsonNode script(String body) {
        return post(session + "/execute/sync", Map.of("script", body, "args", List.of()));
    }

    /** The text of the first element that a CSS selector finds. */
    String text(String selector) {
        return script("return document.querySelector('" + selector + "').textContent")
                .asString();
    }

    void click(String selector) {
        script("document.querySelector('" + selector + "').click()");
    }

    void press(Key key) {
        List<Map<String, String>> strokes =
                List.of(Map.of("type", "keyDown", "value", key.code()), Map.of("type", "keyUp", "value", key.code()));
        Map<String, Object> keyboard = Map.of("type", "key", "id", "keyboard", "actions", strokes);
        post(session + "/actions", Map.of("actions", List.of(keyboard)));
    }

    void resize(int width, int height, boolean phone) {
        devTools(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", phone));
    }

    void prefer(Scheme scheme) {
        Map<String, String> feature =
                Map.of("name", "prefers-color-scheme", "value", scheme.name().toLowerCase(Locale.ROOT));
        devTools("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
    }

    void disconnect(boolean offline) {
        devTools("Network.enable", Map.of());
        devTools(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    byte[] screenshot() {
        return screenshot(Map.of("format", "png"));
    }

    /** A smaller picture, drawn and not shrunk. */
    byte[] screenshot(int width, int height, double scale) {
        Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", scale);
        return screenshot(Map.of("format", "png", "clip", clip));
    }

    private byte[] screenshot(Map<String, Object> parameters) {
        JsonNode image = devTools("Page.captureScreenshot", parameters);
        return Base64.getDecoder().decode(image.path("data").asString());
    }

    /** What the page complained of since the last time, but for answers that are no success. */
    List<String> complaints() {
        return post(session + "/se/log", Map.of("type", "browser"))
                .valueStream()
                .filter(entry -> !entry.path("source").asString().equals("network"))
                .map(JsonNode::toString)
                .toList();
    }

    private JsonNode devTools(String command, Map<String, Object> parameters) {
        return post(session + "/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
    }

    private static JsonNode post(String url, Object body) {
        return send(
                HttpRequest.newBuilder(URI.create(url)).POST(BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    private static JsonNode send(HttpRequest.Builder request) {
        String answer =
                HTTP.sendAsync(request.build(), BodyHandlers.ofString()).join().body();
        JsonNode value = JSON.readTree(answer).path("value");
        if (value.has("error")) {
            throw new IllegalStateException(value.path("error").asString() + ": "
                    + value.path("message").asString());
        }
        return value;
    }

    @Override
    public void close() throws IOException {
        try {
            send(HttpRequest.newBuilder(URI.create(session)).DELETE());
        } finally {
            driver.destroy();
            driver.onExit().join();
            FileSystemUtils.deleteRecursively(profile);
        }
    }

    enum Scheme {
        LIGHT,
        DARK
    }

    enum Key {
        TAB('\uE004'),
        ENTER('\uE007'),
        SPACE(' '),
        HOME('\uE011'),
        END('\uE010'),
        ARROW_RIGHT('\uE014');

        private final char code;

        Key(char code) {
            this.code = code;
        }

        String code() {
            return String.valueOf(code);
        }
    }
}
