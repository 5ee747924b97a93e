package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.context.Deadline;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Hooks;

/** What holds for requests, whatever server takes them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DeadlineOfRequestsContract {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext application;
    private final Callee callee;
    private int callsBefore;

    DeadlineOfRequestsContract(WebApplicationType type, Class<?>... more) {
        application = new SpringApplicationBuilder(Application.class)
                .sources(more)
                .web(type)
                .properties(
                        "server.port=0",
                        "server.tomcat.threads.max=1", // so that what one request leaves behind, the next one sees
                        "spring.reactor.context-propagation=auto",
                        "resilience.deadline.header=X-Time-Left",
                        "resilience.retry.default.backoff.jitter=none",
                        "resilience.retry.quiet.nested=suppress")
                .run();
        callee = application.getBean(Callee.class);
    }

    @AfterAll
    void stop() {
        application.close();
        Hooks.disableAutomaticContextPropagation(); // which the property above has enabled for the whole JVM
    }

    @BeforeEach
    void count() {
        callsBefore = callee.calls();
    }

    @AfterEach
    void heal() {
        callee.failNext(0);
        assertThat(get("/left")).as("a request without deadline").hasToString("200 none");
    }

    @Test
    void aBeanWritesTheHeaderOfRequestsThatTheApplicationMakes() {
        DeadlineHeader header = application.getBean(DeadlineHeader.class);

        assertThat(header).isEqualTo(new DeadlineHeader("X-Time-Left", Duration.ofMillis(100)));
    }

    @Test
    void itIsKnownToWhatIsCalledWhileTheRequestIsHandled() {
        assertThat(get("/left", "X-Time-Left", "1500")).hasToString("200 PT1.5S");
    }

    @Test
    void itIsKnownToAMethodThatReturnsAFuture() {
        assertThat(get("/left-later", "X-Time-Left", "1500")).hasToString("200 PT1.5S");
    }

    @Test
    void withoutTimeTheMethodIsNotCalled() {
        Answer answer = get("/call", "X-Time-Left", "0");

        assertThat(answer.status()).isEqualTo(504);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.body()).contains("urn:resilience:problem:deadline-exceeded");
        assertThat(callee.calls() - callsBefore).isZero();
    }

    @Test
    void thereIsNoRetryThatWouldComeTooLate() {
        callee.failNext(1);

        assertThat(get("/call", "X-Time-Left", "999").status()).isEqualTo(500);

        assertThat(callee.calls() - callsBefore).isOne();
    }

    @Test
    void thereIsOneThatComesInTime() {
        callee.failNext(1);

        assertThat(get("/call", "X-Time-Left", "1001").status()).isEqualTo(200);

        assertThat(callee.calls() - callsBefore).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "soon", "1.5", "99999999999999999999", ""})
    void whatIsNoDeadlineIsIgnoredAndCounted(String value) {
        double ignored = counted("ignored");
        double accepted = counted("accepted");

        assertThat(get("/left", "X-Time-Left", value)).hasToString("200 none");

        assertThat(counted("ignored") - ignored).isOne();
        assertThat(counted("accepted") - accepted).isZero();
    }

    @Test
    void aDeadlineIsCounted() {
        double accepted = counted("accepted");

        get("/left", "X-Time-Left", "100");

        assertThat(counted("accepted") - accepted).isOne();
    }

    @Test
    void aRepetitionIsNotRepeatedWhereThatIsSuppressed() {
        callee.failNext(Integer.MAX_VALUE);

        get("/call-quietly", "X-Attempt-Number", "2");

        assertThat(callee.calls() - callsBefore).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0", "-3", "many", ""})
    void aFirstAttemptIs(String number) {
        callee.failNext(Integer.MAX_VALUE);

        get("/call-quietly", "X-Attempt-Number", number);

        assertThat(callee.calls() - callsBefore).isEqualTo(3);
    }

    final double counted(String outcome) {
        return application
                .getBean(MeterRegistry.class)
                .get("resilience.deadline.requests")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    final Answer get(String path, String... headers) {
        URI uri =
                URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("content-type").orElse(""),
                    response.body());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    record Answer(int status, String contentType, String body) {

        @Override
        public String toString() {
            return status + " " + body;
        }
    }

    static class Shop {

        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @Retryable("default")
        public String left() {
            Deadline deadline = Deadline.current();
            return deadline == null ? "none" : deadline.left().toString();
        }

        @Retryable("default")
        public CompletableFuture<String> leftLater() {
            return CompletableFuture.completedFuture(left());
        }

        @Retryable("default")
        public String call() throws IOException {
            return callee.call();
        }

        @Retryable("quiet")
        public String callQuietly() throws IOException {
            return callee.call();
        }
    }

    @RestController
    static class Desk {

        private final Shop shop;

        Desk(Shop shop) {
            this.shop = shop;
        }

        @GetMapping("/left")
        String left() {
            return shop.left();
        }

        @GetMapping("/left-later")
        CompletableFuture<String> leftLater() {
            return shop.leftLater();
        }

        @GetMapping("/call")
        String call() throws IOException {
            return shop.call();
        }

        @GetMapping("/call-quietly")
        String callQuietly() throws IOException {
            return shop.callQuietly();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Desk.class, Callee.class})
    static class Application {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource();
        }
    }
}
