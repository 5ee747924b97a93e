package com.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.resilience.Resilience;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages on programs without Spring show the classes beside this one, and they work. */
class WithoutSpringTests {

    private static final Path DOCS = Path.of("../docs");
    private static final Path CLASSES = Path.of("src/test/java/com/example");
    private static final Pattern JAVA = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern INTERNAL = Pattern.compile("import (static )?dev\\.resilience\\.(worker|log)\\.");

    static Stream<Arguments> pages() {
        return Stream.of(
                Arguments.of("without-spring.md", List.of("Payments", "Quotes", "Polling")),
                Arguments.of("testing-without-spring.md", List.of("GatewayTests")),
                Arguments.of("idempotency-without-spring.md", List.of("Invoices", "Orders")));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageShowsTheClassesAsTheyAre(String page, List<String> classes) throws IOException {
        List<String> shown = JAVA.matcher(Files.readString(DOCS.resolve(page)))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
        List<String> sources = new ArrayList<>();
        for (String name : classes) {
            sources.add(source(name));
        }

        assertThat(shown)
                .isEqualTo(sources)
                .noneMatch(block -> INTERNAL.matcher(block).find());
    }

    @Test
    void anInvoiceIsSentOnce() {
        try (Resilience resilience = Resilience.create()) {
            Invoices invoices = new Invoices(resilience);
            assertThat(invoices.send("1", 20)).isEqualTo("invoice of 1");
            assertThat(invoices.send("1", 20)).isEqualTo("invoice of 1");
            assertThatThrownBy(() -> invoices.send("1", 30)).isInstanceOf(IdempotencyKeyReusedException.class);
        }
    }

    private static String source(String name) throws IOException {
        return Files.readString(CLASSES.resolve(name + ".java")).replaceFirst("package com.example;\n\n", "");
    }

    @Test
    void theTestOnThePageHasNoMoreThan25Lines() throws IOException {
        String source = source("GatewayTests");

        assertThat(source.substring(source.indexOf("class ")).lines().filter(line -> !line.isBlank()))
                .hasSizeLessThanOrEqualTo(25);
    }

    @Test
    void aJobIsAskedForUntilItIsNotPending() {
        ManualTimeSource time = new ManualTimeSource();
        AtomicInteger questions = new AtomicInteger();
        try (Resilience resilience = Resilience.builder().timeSource(time).build()) {
            CompletableFuture<String> state = resilience
                    .outermostFirst(Polling.jobs(resilience))
                    .callAsync(() ->
                            CompletableFuture.completedFuture(questions.incrementAndGet() < 3 ? "PENDING" : "DONE"));

            time.advance(Duration.ofSeconds(1));
            time.advance(Duration.ofSeconds(2));

            assertThat(state).isCompletedWithValue("DONE");
        }
    }

    @Test
    void aPaymentIsTriedAgainWhenTheGatewayHangsUp() throws IOException {
        AtomicInteger requests = new AtomicInteger();
        HttpServer gateway = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        gateway.createContext("/", exchange -> {
            if (requests.incrementAndGet() > 2) { // the JDK's client tries once more by itself
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write("paid".getBytes(StandardCharsets.UTF_8));
            }
            exchange.close();
        });
        gateway.start();
        URI order = URI.create("http://localhost:" + gateway.getAddress().getPort());
        try (Resilience resilience =
                Resilience.builder().timeSource(new ManualTimeSource()).build()) {
            assertThat(new Payments(resilience).charge(order.toURL())).isEqualTo("paid");
        } finally {
            gateway.stop(0);
        }
    }

    @Test
    void quotesAreReadAskedForAndDeleted(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("quote"), "42");
        try (Resilience resilience = Resilience.create()) {
            Quotes quotes = new Quotes(resilience);

            assertThat(quotes.read(file)).isEqualTo(quotes.get(() -> "42"));
            quotes.delete(file);
            assertThat(file).doesNotExist();
            HttpRequest nowhere =
                    HttpRequest.newBuilder(URI.create("http://localhost:1")).build();
            assertThat(quotes.ask(nowhere).handle((answer, failure) -> failure).get(60, TimeUnit.SECONDS))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void anOrderIsPlacedOnce() {
        ManualTimeSource time = new ManualTimeSource();
        AtomicInteger placed = new AtomicInteger();
        try (Resilience resilience = Resilience.builder().timeSource(time).build()) {
            Orders orders = new Orders(resilience, new MemoryIdempotencyStore(time));

            String first = orders.place("4711", () -> "receipt " + placed.incrementAndGet());
            String again = orders.place("4711", () -> "receipt " + placed.incrementAndGet());

            assertThat(again).isEqualTo(first).isEqualTo("receipt 1");
        }
    }
}
