package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Status, Location, ETag and Content-Type that a handler sets on the response are a part of its answer. */
class AnswersOfTheResponseTests {

    private static final String KEY = "Idempotency-Key";
    private static final String[] PROPERTIES = {
        "resilience.idempotency-store.type=memory",
        "resilience.idempotency.default.scope=none",
        "resilience.idempotency.default.fingerprint=false"
    };

    /** Sends a request to an application with one of the two controllers. */
    private interface Client {

        Answer send(HttpMethod method, String path, String... headers);
    }

    private record Answer(HttpStatusCode status, HttpHeaders headers, String body) {

        static Answer of(HttpStatusCode status, HttpHeaders headers, byte @Nullable [] body) {
            return new Answer(status, headers, body == null ? "" : new String(body, StandardCharsets.UTF_8));
        }

        boolean isReplayed() {
            return headers.containsHeader("Idempotency-Replayed");
        }
    }

    private interface Use {

        void with(Client client, AtomicInteger calls);
    }

    private static void on(String stack, Use use) {
        if (stack.equals("servlet")) {
            IdempotentApplication.web()
                    .withPropertyValues(PROPERTIES)
                    .withBean(OnServlet.class)
                    .run(context -> {
                        RestTestClient client = RestTestClient.bindToApplicationContext(
                                        (WebApplicationContext) context.getSourceApplicationContext())
                                .build();
                        use.with(
                                (method, path, headers) -> {
                                    RestTestClient.RequestBodySpec request =
                                            client.method(method).uri(path).header(KEY, "k");
                                    for (int i = 0; i < headers.length; i += 2) {
                                        request.header(headers[i], headers[i + 1]);
                                    }
                                    var result = request.exchange()
                                            .expectBody(byte[].class)
                                            .returnResult();
                                    return Answer.of(
                                            result.getStatus(), result.getResponseHeaders(), result.getResponseBody());
                                },
                                context.getBean(OnServlet.class).calls());
                    });
        } else {
            new ReactiveWebApplicationContextRunner()
                    .withPropertyValues(PROPERTIES)
                    .withConfiguration(SortedOnce.of(
                            AopAutoConfiguration.class,
                            JacksonAutoConfiguration.class,
                            CodecsAutoConfiguration.class,
                            WebFluxAutoConfiguration.class,
                            ResilienceAutoConfiguration.class,
                            ResilienceWebAutoConfiguration.class))
                    .withBean(OnWebFlux.class)
                    .run(context -> {
                        WebTestClient client =
                                WebTestClient.bindToApplicationContext(context).build();
                        use.with(
                                (method, path, headers) -> {
                                    WebTestClient.RequestBodySpec request =
                                            client.method(method).uri(path).header(KEY, "k");
                                    for (int i = 0; i < headers.length; i += 2) {
                                        request.header(headers[i], headers[i + 1]);
                                    }
                                    EntityExchangeResult<byte[]> result =
                                            request.exchange().expectBody().returnResult();
                                    return Answer.of(
                                            result.getStatus(), result.getResponseHeaders(), result.getResponseBody());
                                },
                                context.getBean(OnWebFlux.class).calls());
                    });
        }
    }

    private static void assertReplayed(Answer first, Answer again) {
        assertThat(first.isReplayed()).isFalse();
        assertThat(again.isReplayed()).isTrue();
        assertThat(again.status()).isEqualTo(first.status());
        assertThat(again.body()).isEqualTo(first.body());
        for (String kept : List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.LOCATION, HttpHeaders.ETAG)) {
            assertThat(again.headers().get(kept))
                    .as(kept)
                    .isEqualTo(first.headers().get(kept));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void statusAndHeadersOfTheResponseAreReplayed(String stack) {
        on(stack, (client, calls) -> {
            for (String path : List.of("typed", "untyped", "nothing", "entity", "later")) {
                Answer first = client.send(HttpMethod.POST, "/" + path + "/202");
                assertThat(first.status()).as(path).isEqualTo(HttpStatus.ACCEPTED);
                assertThat(first.headers().getFirst(HttpHeaders.LOCATION)).isEqualTo("/orders/1");
                assertThat(first.headers().getFirst(HttpHeaders.ETAG)).isEqualTo("\"1\"");
                assertReplayed(first, client.send(HttpMethod.POST, "/" + path + "/202"));
            }
            assertThat(calls).hasValue(5);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void anAnswerWhoseStatusOnTheResponseIsOfTheMomentIsNotKept(String stack) {
        on(stack, (client, calls) -> {
            for (String path : List.of("typed", "untyped", "nothing", "entity", "later")) {
                for (int call = 0; call < 2; call++) {
                    Answer answer = client.send(HttpMethod.POST, "/" + path + "/503");
                    assertThat(answer.status()).as(path).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
                    assertThat(answer.isReplayed()).as(path).isFalse();
                }
            }
            assertThat(calls).hasValue(10);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void theStatusThatIsSentIsTheOneThatIsReplayed(String stack) {
        on(stack, (client, calls) -> {
            Answer first = client.send(HttpMethod.POST, "/annotated/202");
            assertReplayed(first, client.send(HttpMethod.POST, "/annotated/202"));
            assertThat(calls).hasValue(1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void whatDependsOnAConditionOfTheRequestIsNotKept(String stack) {
        on(stack, (client, calls) -> {
            for (int status : new int[] {206, 304, 412, 416, 428}) {
                for (int call = 0; call < 2; call++) {
                    Answer answer = client.send(HttpMethod.POST, "/nothing/" + status);
                    assertThat(answer.status().value()).isEqualTo(status);
                    assertThat(answer.isReplayed()).isFalse();
                }
            }
            assertThat(calls).hasValue(10);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void eachRequestHasItsOwnConditions(String stack) {
        on(stack, (client, calls) -> {
            for (String path : List.of("/versioned", "/versioned-untyped")) {
                Answer unchanged = client.send(HttpMethod.GET, path, HttpHeaders.IF_NONE_MATCH, "\"1\"");
                assertThat(unchanged.status()).as(path).isEqualTo(HttpStatus.NOT_MODIFIED);

                Answer whole = client.send(HttpMethod.GET, path);
                assertThat(whole.status()).as(path).isEqualTo(HttpStatus.OK);
                assertThat(whole.body()).isEqualTo("{\"number\":1}");
                assertThat(whole.headers().getETag()).isEqualTo("\"1\"");
                assertThat(whole.isReplayed()).isTrue();

                assertThat(client.send(HttpMethod.GET, path, HttpHeaders.IF_NONE_MATCH, "\"1\"")
                                .status())
                        .isEqualTo(HttpStatus.NOT_MODIFIED);
            }
            assertThat(calls).hasValue(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"servlet", "reactive"})
    void aHandlerThatFindsTheClientUpToDateIsAskedAgain(String stack) {
        on(stack, (client, calls) -> {
            assertThat(client.send(HttpMethod.GET, "/checked", HttpHeaders.IF_NONE_MATCH, "\"1\"")
                            .status())
                    .isEqualTo(HttpStatus.NOT_MODIFIED);
            Answer whole = client.send(HttpMethod.GET, "/checked");
            assertThat(whole.status()).isEqualTo(HttpStatus.OK);
            assertThat(whole.body()).isEqualTo("{\"number\":1}");
            assertThat(calls).hasValue(2);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/written/201", "/streamed/201", "/written-by-response/201", "/written-twice/201"})
    void aBodyThatAWebFluxHandlerWritesItselfIsReplayed(String path) {
        on("reactive", (client, calls) -> {
            Answer first = client.send(HttpMethod.POST, path);
            assertThat(first.status()).isEqualTo(HttpStatus.CREATED);
            assertThat(first.body()).isEqualTo("order 1");
            assertThat(first.headers().getFirst(HttpHeaders.LOCATION)).isEqualTo("/orders/1");

            assertReplayed(first, client.send(HttpMethod.POST, path));
            assertReplayed(first, client.send(HttpMethod.POST, path));
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void aBodyThatIsWrittenWithAStatusOfTheMomentIsNotKept() {
        on("reactive", (client, calls) -> {
            for (int call = 1; call <= 2; call++) {
                Answer answer = client.send(HttpMethod.POST, "/written/503");
                assertThat(answer.body()).isEqualTo("order " + call);
                assertThat(answer.isReplayed()).isFalse();
            }
        });
    }

    record Order(int number) {}

    @RestController
    static class OnServlet {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        private void answer(int status, HttpServletResponse response) {
            calls.incrementAndGet();
            response.setStatus(status);
            response.setHeader(HttpHeaders.LOCATION, "/orders/1");
            response.setHeader(HttpHeaders.ETAG, "\"1\"");
        }

        @RequestMapping("/typed/{status}")
        @Idempotent(header = KEY)
        Order typed(@PathVariable int status, HttpServletResponse response) {
            answer(status, response);
            return new Order(1);
        }

        @RequestMapping("/untyped/{status}")
        @Idempotent(header = KEY)
        Map<String, Object> untyped(@PathVariable int status, HttpServletResponse response) {
            answer(status, response);
            return Map.of("number", 1);
        }

        @RequestMapping("/nothing/{status}")
        @Idempotent(header = KEY)
        void nothing(@PathVariable int status, HttpServletResponse response) {
            answer(status, response);
        }

        @RequestMapping("/entity/{status}")
        @Idempotent(header = KEY)
        ResponseEntity<Order> entity(@PathVariable int status, HttpServletResponse response) {
            answer(200, response);
            return ResponseEntity.status(status).body(new Order(1));
        }

        @RequestMapping("/later/{status}")
        @Idempotent(header = KEY)
        CompletableFuture<Order> later(@PathVariable int status, HttpServletResponse response) {
            answer(status, response);
            return CompletableFuture.completedFuture(new Order(1));
        }

        @RequestMapping("/annotated/{status}")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = KEY)
        Order annotated(@PathVariable int status, HttpServletResponse response) {
            answer(status, response);
            return new Order(1);
        }

        @RequestMapping("/versioned")
        @Idempotent(header = KEY)
        ResponseEntity<Order> versioned() {
            calls.incrementAndGet();
            return ResponseEntity.ok().eTag("\"1\"").body(new Order(1));
        }

        @RequestMapping("/versioned-untyped")
        @Idempotent(header = KEY)
        ResponseEntity<?> versionedUntyped() {
            calls.incrementAndGet();
            return ResponseEntity.ok().eTag("\"1\"").body(Map.of("number", 1));
        }

        @RequestMapping("/checked")
        @Idempotent(header = KEY)
        @Nullable
        Order checked(WebRequest request) {
            calls.incrementAndGet();
            return request.checkNotModified("\"1\"") ? null : new Order(1);
        }
    }

    @RestController
    static class OnWebFlux {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        private void answer(int status, ServerWebExchange exchange) {
            calls.incrementAndGet();
            exchange.getResponse().setRawStatusCode(status);
            exchange.getResponse().getHeaders().setLocation(URI.create("/orders/1"));
            exchange.getResponse().getHeaders().setETag("\"1\"");
        }

        @RequestMapping("/typed/{status}")
        @Idempotent(header = KEY)
        Mono<Order> typed(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> {
                answer(status, exchange);
                return new Order(1);
            });
        }

        @RequestMapping("/untyped/{status}")
        @Idempotent(header = KEY)
        Mono<Map<String, Object>> untyped(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> {
                answer(status, exchange);
                return Map.of("number", 1);
            });
        }

        @RequestMapping("/nothing/{status}")
        @Idempotent(header = KEY)
        Mono<Void> nothing(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromRunnable(() -> answer(status, exchange));
        }

        private Mono<DataBuffer> written(ServerHttpResponse response) {
            return Mono.fromSupplier(
                    () -> response.bufferFactory().wrap(("order " + calls.get()).getBytes(StandardCharsets.UTF_8)));
        }

        @RequestMapping("/written/{status}")
        @Idempotent(header = KEY)
        Mono<Void> written(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.defer(() -> {
                answer(status, exchange);
                exchange.getResponse().getHeaders().setContentType(MediaType.TEXT_PLAIN);
                return exchange.getResponse().writeWith(written(exchange.getResponse()));
            });
        }

        @RequestMapping("/written-twice/{status}")
        @Idempotent(header = KEY)
        Mono<Void> writtenTwice(@PathVariable int status, ServerWebExchange exchange) {
            return written(status, exchange).then(Mono.defer(() -> {
                DataBuffer other = exchange.getResponse().bufferFactory().wrap(new byte[] {'2'});
                return exchange.getResponse().writeWith(Mono.just(other));
            }));
        }

        @RequestMapping("/streamed/{status}")
        @Idempotent(header = KEY)
        Mono<Void> streamed(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.defer(() -> {
                answer(status, exchange);
                return exchange.getResponse().writeAndFlushWith(Flux.just(written(exchange.getResponse())));
            });
        }

        @RequestMapping("/written-by-response/{status}")
        @Idempotent(header = KEY)
        Mono<Void> writtenByResponse(
                @PathVariable int status, ServerWebExchange exchange, ServerHttpResponse response) {
            return Mono.defer(() -> {
                answer(status, exchange);
                return response.writeWith(written(response).flux());
            });
        }

        @RequestMapping("/entity/{status}")
        @Idempotent(header = KEY)
        Mono<ResponseEntity<Order>> entity(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> {
                answer(200, exchange);
                return ResponseEntity.status(status).body(new Order(1));
            });
        }

        @RequestMapping("/later/{status}")
        @Idempotent(header = KEY)
        Mono<Order> later(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromFuture(() -> {
                answer(status, exchange);
                return CompletableFuture.completedFuture(new Order(1));
            });
        }

        @RequestMapping("/annotated/{status}")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = KEY)
        Mono<Order> annotated(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> {
                answer(status, exchange);
                return new Order(1);
            });
        }

        @RequestMapping("/versioned")
        @Idempotent(header = KEY)
        Mono<ResponseEntity<Order>> versioned() {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return ResponseEntity.ok().eTag("\"1\"").body(new Order(1));
            });
        }

        @RequestMapping("/versioned-untyped")
        @Idempotent(header = KEY)
        Mono<ResponseEntity<?>> versionedUntyped() {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return ResponseEntity.ok().eTag("\"1\"").body(Map.of("number", 1));
            });
        }

        @RequestMapping("/checked")
        @Idempotent(header = KEY)
        Mono<Order> checked(ServerWebExchange exchange) {
            return Mono.defer(() -> {
                calls.incrementAndGet();
                boolean upToDate = exchange.checkNotModified("\"1\"", Instant.MIN);
                return upToDate ? Mono.empty() : Mono.just(new Order(1));
            });
        }
    }
}
