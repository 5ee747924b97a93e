package dev.resilience.sample;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Prometheus of Debian's package, on a free port, with its files in a directory of the test's. */
final class Prometheus implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/bin/prometheus");
    private static final Path TOOL = Path.of("/usr/bin/promtool");
    private static final Pattern LISTENING = Pattern.compile("msg=\"Listening on\" address=(\\S+:\\d+)");
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Process process;
    private final String api;

    private Prometheus(Process process, Path log) {
        this.process = process;
        this.api =
                "http://" + await().atMost(Duration.ofSeconds(30)).until(() -> address(log), found -> !found.isEmpty())
                        + "/api/v1/";
    }

    /** Skips the test where there is no Prometheus. */
    static void assumeInstalled() {
        assumeInstalled(PROGRAM);
    }

    /**
     * Starts to scrape.
     *
     * @param directory has {@code prometheus.yml}
     */
    static Prometheus start(Path directory) throws IOException {
        Path log = directory.resolve("prometheus.log");
        Process process = new ProcessBuilder(
                        PROGRAM.toString(),
                        "--config.file=" + directory.resolve("prometheus.yml"),
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=127.0.0.1:0")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            return new Prometheus(process, log);
        } catch (RuntimeException failure) {
            process.destroyForcibly();
            throw new IOException(Files.readString(log), failure);
        }
    }

    /** Runs promtool and returns what it prints, after its exit code; skips the test where there is none. */
    static String tool(Path directory, String... arguments) throws IOException, InterruptedException {
        assumeInstalled(TOOL);
        ProcessBuilder tool =
                new ProcessBuilder(arguments).directory(directory.toFile()).redirectErrorStream(true);
        tool.command().add(0, TOOL.toString());
        Process process = tool.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + ": " + output;
    }

    private static void assumeInstalled(Path program) {
        assumeTrue(
                Files.isExecutable(program),
                "Alerts and dashboard are not tested: there is no " + program
                        + ". On Debian: apt-get install prometheus");
    }

    private static String address(Path log) throws IOException {
        Matcher listening = LISTENING.matcher(Files.readString(log));
        return listening.find() ? listening.group(1) : "";
    }

    /** The series that an expression has now. */
    JsonNode query(String expression) {
        return call("query", Map.of("query", expression)).path("result");
    }

    /** The series that an expression has from then until now, with a value every 250 ms. */
    JsonNode query(String expression, Instant from) {
        return query(expression, from, Instant.now());
    }

    JsonNode query(String expression, Instant from, Instant to) {
        return call("query_range", Map.of("query", expression, "start", from, "end", to, "step", "0.25"))
                .path("result");
    }

    /** The data in an answer of Prometheus's HTTP API. */
    JsonNode call(String path, Map<String, ?> parameters) {
        String form = parameters.entrySet().stream()
                .map(parameter -> parameter.getKey() + "="
                        + URLEncoder.encode(parameter.getValue().toString(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        boolean post = path.startsWith("query");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api + path + (post ? "" : "?" + form)));
        if (post) {
            request.header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(form));
        }
        JsonNode answer = JSON.readTree(
                HTTP.sendAsync(request.build(), BodyHandlers.ofString()).join().body());
        if (!answer.path("status").asString().equals("success")) {
            throw new IllegalArgumentException(path + " " + parameters + ": " + answer);
        }
        return answer.path("data");
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
