package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers whose body has no class, over a real server and its connections. */
class UntypedAnswersOnTomcatTests {

    private final HttpClient client = HttpClient.newHttpClient();

    /** What a test does with an application. */
    private interface Use {

        void with(int port, Shop shop) throws Exception;
    }

    private static void with(Use use, String... properties) {
        new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
                .withPropertyValues("server.port=0", "resilience.idempotency.default.scope=none")
                .withPropertyValues("resilience.idempotency-store.type=memory")
                .withPropertyValues(properties)
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        TomcatServletWebServerAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class))
                .withUserConfiguration(Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    AnnotationConfigServletWebServerApplicationContext server = context.getSourceApplicationContext(
                            AnnotationConfigServletWebServerApplicationContext.class);
                    use.with(Objects.requireNonNull(server.getWebServer()).getPort(), context.getBean(Shop.class));
                });
    }

    private HttpResponse<String> post(int port, String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Idempotency-Key", "k")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private static Map<String, Object> headers(HttpResponse<String> response) {
        Map<String, Object> headers = new TreeMap<>(response.headers().map());
        headers.keySet().removeIf(name -> name.equals("date") || name.equals("idempotency-replayed"));
        return headers;
    }

    @Test
    void theRepetitionGetsTheSameBytesAndHeaders() {
        with((port, shop) -> {
            for (String path : new String[] {"/entity", "/created", "/later"}) {
                HttpResponse<String> first = post(port, path);
                HttpResponse<String> again = post(port, path);

                assertThat(first.statusCode()).as(path).isBetween(200, 202);
                assertThat(first.body()).contains("\"amount\":10.00,\"text\":\"Grüße\"");
                assertThat(again.statusCode()).as(path).isEqualTo(first.statusCode());
                assertThat(again.body()).as(path).isEqualTo(first.body());
                assertThat(headers(again)).as(path).isEqualTo(headers(first));
                assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
                assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            }
            assertThat(shop.calls()).hasValue(3);
        });
    }

    @Test
    void aCallThatEndsAfterItsRequestIsKept() {
        with(
                (port, shop) -> {
                    assertThat(post(port, "/slow").statusCode()).isEqualTo(503);
                    assertThat(shop.ended().await(30, TimeUnit.SECONDS)).isTrue();

                    HttpResponse<String> again = post(port, "/slow");
                    assertThat(again.statusCode()).isEqualTo(202);
                    assertThat(again.body()).isEqualTo("{\"number\":1}");
                    assertThat(again.headers().firstValue("Content-Type")).hasValue("application/json");
                    assertThat(shop.calls()).hasValue(1);
                },
                "spring.mvc.async.request-timeout=1ms");
    }

    /** Ends a slow call in the worst moment: its request has another answer, with headers of its own, and is not over yet. */
    private static final class AfterTheErrorPage extends ValveBase {

        private final Shop shop;

        AfterTheErrorPage(Shop shop) {
            super(true);
            this.shop = shop;
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            getNext().invoke(request, response);
            if (response.getStatus() == 503) {
                assertThat(response.getContentType()).startsWith("text/html");
                shop.slow().complete(ResponseEntity.accepted().body(Map.of("number", 1)));
                shop.ended().countDown();
            }
        }
    }

    @RestController
    static class Shop implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

        private final AtomicInteger calls = new AtomicInteger();
        private final CompletableFuture<ResponseEntity<?>> slow = new CompletableFuture<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void customize(TomcatServletWebServerFactory tomcat) {
            tomcat.addEngineValves(new AfterTheErrorPage(this));
        }

        AtomicInteger calls() {
            return calls;
        }

        CompletableFuture<ResponseEntity<?>> slow() {
            return slow;
        }

        CountDownLatch ended() {
            return ended;
        }

        private Map<String, Object> order() {
            Map<String, Object> order = new LinkedHashMap<>();
            order.put("number", calls.incrementAndGet());
            order.put("amount", new BigDecimal("10.00"));
            order.put("text", "Grüße");
            return order;
        }

        @PostMapping("/entity")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<Map<String, Object>> entity() {
            return ResponseEntity.accepted().eTag("\"1\"").body(order());
        }

        @PostMapping("/created")
        @Idempotent(header = "Idempotency-Key")
        Object created() {
            return order();
        }

        @PostMapping("/later")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<Map<String, Object>> later() {
            return CompletableFuture.supplyAsync(this::order);
        }

        @PostMapping("/slow")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<ResponseEntity<?>> answerSlowly() {
            calls.incrementAndGet();
            return slow;
        }
    }
}
