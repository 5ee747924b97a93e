package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Callee;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/** Which answers of an application have {@code X-Resilience-Retry: no}, on a real server and through a real client. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RetryRefusalsContract {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext application;
    private final Callee callee;

    RetryRefusalsContract(WebApplicationType type, Class<?>... more) {
        application = new SpringApplicationBuilder(Application.class)
                .sources(more)
                .web(type)
                .properties(
                        "server.port=0",
                        "resilience.retry.default.backoff.base-delay=0",
                        "resilience.retry.once.max-attempts=1",
                        "resilience.retry.outer.retry-unknown=true")
                .run();
        callee = application.getBean(Callee.class).failNext(Integer.MAX_VALUE);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/now", "/later", "/mono"})
    void aFailureWhoseRetriesAreExhaustedHasIt(String path) {
        assertThat(get(path)).isEqualTo("500 [no]");
    }

    @ParameterizedTest
    @CsvSource({
        "/annotated,502",
        "/with-status,502",
        "/with-reason,502",
        "/later-with-status,502",
        "/mono-with-status,502"
    })
    void anExceptionAroundItThatHasAStatusKeepsItAndHasIt(String path, int status) {
        assertThat(get(path)).isEqualTo(status + " [no]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/handled-later", "/handled-mono"})
    void anAnswerOfTheApplicationsOwnHandlerHasIt(String path) {
        assertThat(get(path)).isEqualTo("503 [no]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/permanent", "/permanent-mono"})
    void aFailureThatWasNotRetriedDoesNot(String path) {
        assertThat(get(path)).isEqualTo("500 []");
    }

    @Test
    void aFailureOfAPolicyWithOneAttemptDoesNot() {
        assertThat(get("/once")).isEqualTo("500 []");
    }

    @Test
    void theAnswerOfAFallbackDoesNot() {
        assertThat(get("/fallback")).isEqualTo("200 []");
    }

    @Test
    void theAnswerToAHealthyCallDoesNot() {
        callee.failNext(0);

        assertThat(get("/now")).isEqualTo("200 []");
        callee.failNext(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"circuit,503 [no]", "time,504 [no]", "key,409 []"})
    void aRefusalOfTheLibrarysHasItWhereAnotherAttemptWouldAddToTheLoad(String kind, String answer) {
        assertThat(get("/refused/" + kind)).isEqualTo(answer);
    }

    @Test
    void aRefusalThatARetryHasGivenUpWithHasItOnce() {
        assertThat(get("/timed-out")).isEqualTo("504 [no]");
    }

    @ParameterizedTest
    @CsvSource({"no,500 [no]", "NO,500 [no]", "yes,500 []", "'',500 []"})
    void anAnswerOfAnotherServiceWithItIsPassedOn(String value, String answer) {
        assertThat(get("/passes-on/" + value)).isEqualTo(answer);
    }

    @Test
    void aServiceThatCallsDoesNotRepeatTheRequest() {
        int before = callee.calls();

        Throwable seen = catchThrowable(() -> application.getBean(Caller.class).get(uri("/now")));

        assertThat(seen).isInstanceOf(HttpServerErrorException.class);
        assertThat(callee.calls() - before).isEqualTo(3);
    }

    @Test
    void aServiceThatCallsRepeatsARequestThatWasNotRetried() {
        int before = callee.calls();

        Throwable seen = catchThrowable(() -> application.getBean(Caller.class).get(uri("/once")));

        assertThat(seen).isInstanceOf(HttpServerErrorException.class);
        assertThat(callee.calls() - before).isEqualTo(3);
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port") + path);
    }

    /** The status, and all values of the header. */
    final String get(String path) {
        try {
            HttpResponse<String> answer =
                    client.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.headers().allValues("X-Resilience-Retry");
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    static class Caller {

        private final RestClient client = RestClient.create();

        @Retryable("outer")
        public String get(URI uri) {
            return String.valueOf(client.get().uri(uri).retrieve().body(String.class));
        }
    }

    static class Shop {

        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @Retryable("default")
        public String now() throws IOException {
            return callee.call();
        }

        @Retryable("default")
        public CompletableFuture<String> later() {
            return callee.callAsync();
        }

        @Retryable("default")
        public Mono<String> mono() {
            return Mono.fromCallable(callee::call);
        }

        @Retryable("once")
        public String once() throws IOException {
            return callee.call();
        }

        @Retryable("default")
        @Fallback("other")
        public String withFallback() throws IOException {
            return callee.call();
        }

        String other() {
            return "something else";
        }

        @Retryable("default")
        public String permanent() {
            throw new IllegalArgumentException();
        }

        @Retryable("default")
        public Mono<String> permanentMono() {
            return Mono.error(new IllegalArgumentException());
        }

        @Retryable("default")
        public String timedOut() {
            throw new TimeLimitExceededException("shop", "too long", null);
        }
    }

    @RestController
    static class Desk {

        private final Shop shop;

        Desk(Shop shop) {
            this.shop = shop;
        }

        @GetMapping("/now")
        String now() throws IOException {
            return shop.now();
        }

        @GetMapping("/later")
        CompletableFuture<String> later() {
            return shop.later();
        }

        @GetMapping("/mono")
        Mono<String> mono() {
            return shop.mono();
        }

        @GetMapping("/once")
        String once() throws IOException {
            return shop.once();
        }

        @GetMapping("/fallback")
        String fallback() throws IOException {
            return shop.withFallback();
        }

        @GetMapping("/permanent")
        String permanent() {
            return shop.permanent();
        }

        @GetMapping("/permanent-mono")
        Mono<String> permanentMono() {
            return shop.permanentMono();
        }

        @GetMapping("/timed-out")
        String timedOut() {
            return shop.timedOut();
        }

        @GetMapping("/annotated")
        String annotated() {
            try {
                return shop.now();
            } catch (IOException failure) {
                throw new BadGateway(failure);
            }
        }

        @GetMapping("/with-status")
        String withStatus() {
            try {
                return shop.now();
            } catch (IOException failure) {
                throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, null, failure);
            }
        }

        @GetMapping("/with-reason")
        String withReason() {
            try {
                return shop.now();
            } catch (IOException failure) {
                throw new ResponseStatusException(HttpStatus.BAD_GATEWAY, "no answer", failure);
            }
        }

        @GetMapping("/later-with-status")
        CompletableFuture<String> laterWithStatus() {
            return shop.later()
                    .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                            new ResponseStatusException(HttpStatus.BAD_GATEWAY, "no answer", failure)));
        }

        @GetMapping("/mono-with-status")
        Mono<String> monoWithStatus() {
            return shop.mono()
                    .onErrorMap(failure -> new ResponseStatusException(HttpStatus.BAD_GATEWAY, "no answer", failure));
        }

        @GetMapping("/handled")
        String handled() {
            try {
                return shop.now();
            } catch (IOException failure) {
                throw new Unreachable(failure);
            }
        }

        @GetMapping("/handled-later")
        CompletableFuture<String> handledLater() {
            return shop.later()
                    .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new Unreachable(failure)));
        }

        @GetMapping("/handled-mono")
        Mono<String> handledMono() {
            return shop.mono().onErrorMap(Unreachable::new);
        }

        @GetMapping("/refused/{kind}")
        String refused(@PathVariable("kind") String kind) {
            throw switch (kind) {
                case "circuit" -> new CircuitOpenException("shop", Duration.ofSeconds(7));
                case "time" -> new TimeLimitExceededException("shop", "too long", null);
                default -> new IdempotencyInProgressException("shop", Duration.ofSeconds(1));
            };
        }

        @GetMapping({"/passes-on/{value}", "/passes-on/"})
        String passesOn(@PathVariable(name = "value", required = false) String value) {
            HttpHeaders headers = new HttpHeaders();
            headers.set("x-resilience-retry", value == null ? "" : value);
            throw HttpServerErrorException.create(HttpStatus.BAD_GATEWAY, "", headers, new byte[0], null);
        }
    }

    @ResponseStatus(HttpStatus.BAD_GATEWAY)
    static class BadGateway extends RuntimeException {

        BadGateway(Throwable cause) {
            super(cause);
        }
    }

    static class Unreachable extends RuntimeException {

        Unreachable(Throwable cause) {
            super(cause);
        }
    }

    @RestControllerAdvice
    static class Handlers {

        @ExceptionHandler
        ResponseEntity<String> handle(Unreachable failure) {
            return ResponseEntity.status(503).body("unreachable");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Desk.class, Handlers.class, Callee.class, Caller.class})
    static class Application {}
}
