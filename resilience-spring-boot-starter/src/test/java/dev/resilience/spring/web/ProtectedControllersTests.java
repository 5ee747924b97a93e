package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Annotations on controllers themselves. */
class ProtectedControllersTests {

    @Test
    void areRetriedLikeAnyBean() {
        Web.application(Shop.class).run(context -> {
            context.getBean(Callee.class).failNext(2);
            assertThat(MockMvcTester.from(context).get().uri("/sell"))
                    .hasStatusOk()
                    .hasBodyTextEqualTo("answer 3");
        });
    }

    @Nested
    class WithTimeLimits {

        @Test
        void answerThatAGatewayTimedOut() {
            Web.with(Slow.class, mvc -> assertTimedOut(mvc.get().uri("/slow").exchange()));
        }

        @Test
        void answerSoForFuturesToo() {
            Web.application(Slow.class).run(context -> {
                MvcTestResult answer =
                        MockMvcTester.from(context).get().uri("/slow-future").exchange();
                assertTimedOut(answer);
            });
        }

        private static void assertTimedOut(MvcTestResult answer) {
            assertThat(answer)
                    .hasStatus(HttpStatus.GATEWAY_TIMEOUT)
                    .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .bodyJson()
                    .extractingPath("$.type")
                    .isEqualTo("urn:resilience:problem:time-limit-exceeded");
        }
    }

    @Nested
    class WithFutures {

        @Test
        void answerWhenTheFutureIsDone() {
            Web.with(
                    Shop.class,
                    mvc -> assertThat(mvc.get().uri("/later")).hasStatusOk().hasBodyTextEqualTo("answer 1"));
        }

        @Test
        void answerARefusalWithProblemDetails() {
            Web.application(Shop.class).run(context -> {
                context.getBean(ResilienceRegistry.class)
                        .circuitBreakers()
                        .get("default")
                        .forceOpen();
                assertThat(MockMvcTester.from(context).get().uri("/later"))
                        .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                        .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                        .containsHeader(HttpHeaders.RETRY_AFTER);
            });
        }

        @Test
        void answerARefusalFurtherInWithProblemDetailsToo() {
            Web.application(Shop.class)
                    .withPropertyValues(
                            "resilience.bulkhead.default.max-concurrent=1", "resilience.bulkhead.default.max-queue=0")
                    .run(context -> {
                        context.getBean(Shop.class).pending();
                        assertThat(MockMvcTester.from(context).get().uri("/composed"))
                                .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                                .bodyJson()
                                .extractingPath("$.type")
                                .isEqualTo("urn:resilience:problem:bulkhead-full");
                    });
        }
    }

    @Nested
    class WithKeys {

        @Test
        void withoutOneAreABadRequest() {
            Web.with(
                    Shop.class,
                    mvc -> assertThat(mvc.post().uri("/orders").content("payload"))
                            .hasStatus(HttpStatus.BAD_REQUEST)
                            .hasContentType(MediaType.APPLICATION_PROBLEM_JSON));
        }

        @Test
        void withTwoAreABadRequest() {
            Web.with(
                    Shop.class,
                    mvc -> assertThat(mvc.post()
                                    .uri("/orders")
                                    .header("Idempotency-Key", "one", "two")
                                    .content("payload"))
                            .hasStatus(HttpStatus.BAD_REQUEST));
        }

        @Test
        void neverShowTheKeyOrThePayload() {
            Web.with(Shop.class, mvc -> {
                assertThat(post(mvc, "secret-key", "secret-one")).hasStatusOk();
                assertSecret(post(mvc, "secret-key", "secret-two"), HttpStatus.UNPROCESSABLE_CONTENT);
                assertSecret(post(mvc, "secret-".repeat(40), "secret-one"), HttpStatus.BAD_REQUEST);
                assertSecret(post(mvc, "\"secret-key", "secret-one"), HttpStatus.BAD_REQUEST);
                assertSecret(post(mvc, "secret\u0001key", "secret-one"), HttpStatus.BAD_REQUEST);
                assertSecret(post(mvc, "", "secret-one"), HttpStatus.BAD_REQUEST);
            });
        }

        @Test
        void ofARunningCallAreAConflictWithAHint() {
            Web.application(Shop.class).run(context -> {
                MockMvcTester mvc = MockMvcTester.from(context);
                mvc.post()
                        .uri("/slow-orders")
                        .header("Idempotency-Key", "secret")
                        .asyncExchange();

                MvcTestResult answer = mvc.post()
                        .uri("/slow-orders")
                        .header("Idempotency-Key", "secret")
                        .exchange();

                assertSecret(answer, HttpStatus.CONFLICT);
                assertThat(answer).hasHeader(HttpHeaders.RETRY_AFTER, "30");
            });
        }

        private MvcTestResult post(MockMvcTester mvc, String key, String payload) {
            return mvc.post()
                    .uri("/orders")
                    .header("Idempotency-Key", key)
                    .content(payload)
                    .exchange();
        }

        private void assertSecret(MvcTestResult answer, HttpStatus status) {
            assertThat(answer)
                    .hasStatus(status)
                    .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .bodyText()
                    .doesNotContain("secret");
        }
    }

    @RestController
    static class Slow {

        @Autowired
        ManualTimeSource time;

        @GetMapping("/slow")
        @TimeLimit("default")
        public String slow() {
            time.advance(Duration.ofSeconds(5));
            return "too late";
        }

        @GetMapping("/slow-future")
        @TimeLimit("default")
        public CompletableFuture<String> slowFuture() {
            time.advance(Duration.ofSeconds(5));
            return new CompletableFuture<>();
        }
    }

    @RestController
    static class Shop {

        @Autowired
        Callee callee;

        @Autowired
        ObjectProvider<Shop> self;

        private final List<CompletableFuture<String>> started = new ArrayList<>();

        @GetMapping("/sell")
        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @GetMapping("/later")
        @CircuitBreaker("default")
        public CompletableFuture<String> later() {
            return callee.callAsync();
        }

        @GetMapping("/pending")
        @Bulkhead("default")
        public CompletableFuture<String> pending() {
            CompletableFuture<String> sale = new CompletableFuture<>();
            started.add(sale);
            return sale;
        }

        @GetMapping("/composed")
        public CompletableFuture<String> composed() {
            return self.getObject().pending().thenApply(sale -> sale + "!");
        }

        @PostMapping("/orders")
        @Idempotent(header = "Idempotency-Key")
        public String order(@RequestBody String payload) throws ConnectException {
            return callee.call();
        }

        @PostMapping("/slow-orders")
        @Idempotent(header = "Idempotency-Key")
        public CompletableFuture<String> slowOrder() {
            return new CompletableFuture<>();
        }
    }
}
