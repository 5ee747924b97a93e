package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.RateLimit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What a caller over HTTP gets, on real servers. */
class RateLimitAnswersTests {

    @ParameterizedTest
    @CsvSource({
        "SERVLET, /now",
        "SERVLET, /later",
        "SERVLET, /mono",
        "REACTIVE, /now",
        "REACTIVE, /later",
        "REACTIVE, /mono"
    })
    void aRefusalSaysWhatTheLimitIsAndWhenToComeBack(WebApplicationType type, String path) throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(type)
                .properties(
                        "server.port=0", "resilience.rate-limit.shop.permits=1", "resilience.rate-limit.shop.period=1h")
                .run()) {
            URI uri = URI.create(
                    "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(uri).build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .body())
                    .isEqualTo("sold");
            HttpResponse<String> refused = client.send(request, HttpResponse.BodyHandlers.ofString());

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            String seconds = refused.headers().firstValue("Retry-After").orElseThrow();
            assertThat(Integer.parseInt(seconds)).isBetween(3_000, 3_600);
            assertThat(refused.headers().allValues("RateLimit-Policy")).containsExactly("\"shop\";q=1;w=3600");
            assertThat(refused.headers().allValues("RateLimit")).containsExactly("\"shop\";r=0;t=" + seconds);
            assertThat(refused.body())
                    .contains("\"type\":\"urn:resilience:problem:rate-limit-exceeded\"")
                    .contains("the limit is 1 call in 60 min");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {}

    @RestController
    static class Shop {

        @GetMapping("/now")
        @RateLimit("shop")
        public String now() {
            return "sold";
        }

        @GetMapping("/later")
        @RateLimit("shop")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("sold");
        }

        @GetMapping("/mono")
        @RateLimit("shop")
        public Mono<String> mono() {
            return Mono.just("sold");
        }
    }
}
