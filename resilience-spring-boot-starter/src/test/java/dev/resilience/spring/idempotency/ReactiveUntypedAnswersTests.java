package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** In WebFlux too answers whose body has no class to be read back as are replayed as JSON, text or bytes. */
class ReactiveUntypedAnswersTests {

    private static final ReactiveWebApplicationContextRunner APPLICATION = new ReactiveWebApplicationContextRunner()
            .withPropertyValues("resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    CodecsAutoConfiguration.class,
                    WebFluxAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceWebAutoConfiguration.class));

    private static void with(BiConsumer<Shop, WebTestClient> test) {
        with(APPLICATION, test);
    }

    private static void with(ReactiveWebApplicationContextRunner application, BiConsumer<Shop, WebTestClient> test) {
        application
                .withBean(Shop.class)
                .run(context -> test.accept(
                        context.getBean(Shop.class),
                        WebTestClient.bindToApplicationContext(context).build()));
    }

    private static EntityExchangeResult<byte[]> post(WebTestClient client, String path, String... accept) {
        return client.method(HttpMethod.POST)
                .uri(path)
                .header("Idempotency-Key", "k")
                .header(HttpHeaders.ACCEPT, accept.length == 0 ? new String[] {MediaType.ALL_VALUE} : accept)
                .exchange()
                .expectBody()
                .returnResult();
    }

    private static String text(EntityExchangeResult<byte[]> answer) {
        byte[] body = answer.getResponseBody();
        return body == null ? "" : new String(body, StandardCharsets.UTF_8);
    }

    @Test
    void theAnswerIsReplayed() {
        with((shop, client) -> {
            List<String> paths = List.of(
                    "/entity",
                    "/wildcard",
                    "/map",
                    "/created-map",
                    "/object",
                    "/text",
                    "/tree",
                    "/list",
                    "/problem",
                    "/empty",
                    "/none",
                    "/none-created");
            for (String path : paths) {
                assertReplayed(path, post(client, path), post(client, path));
            }
            assertThat(shop.calls()).hasValue(paths.size());
        });
    }

    private static void assertReplayed(
            String path, EntityExchangeResult<byte[]> first, EntityExchangeResult<byte[]> again) {
        assertThat(again.getStatus()).as(path).isEqualTo(first.getStatus());
        assertThat(text(again)).as(path).isEqualTo(text(first));
        for (String kept : List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.LOCATION, HttpHeaders.ETAG)) {
            assertThat(again.getResponseHeaders().get(kept))
                    .as(path)
                    .isEqualTo(first.getResponseHeaders().get(kept));
        }
        assertThat(again.getResponseHeaders().get(HttpHeaders.SET_COOKIE))
                .as(path)
                .isNull();
        assertThat(first.getResponseHeaders().get("Idempotency-Replayed"))
                .as(path)
                .isNull();
        assertThat(again.getResponseHeaders().getFirst("Idempotency-Replayed"))
                .as(path)
                .isEqualTo("true");
    }

    @Test
    void theFirstAnswerIsAsSpringWouldSendIt() {
        with((shop, client) -> {
            EntityExchangeResult<byte[]> entity = post(client, "/entity");
            assertThat(entity.getStatus()).isEqualTo(HttpStatus.CREATED);
            assertThat(entity.getResponseHeaders().getLocation()).hasToString("/orders/1");
            assertThat(entity.getResponseHeaders().getETag()).isEqualTo("\"1\"");
            assertThat(entity.getResponseHeaders().get(HttpHeaders.SET_COOKIE)).containsExactly("session=secret");
            assertThat(entity.getResponseHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_JSON);
            assertThat(text(entity)).isEqualTo("{\"number\":1,\"amount\":10.00}");
            assertThat(post(client, "/created-map").getStatus()).isEqualTo(HttpStatus.CREATED);
            EntityExchangeResult<byte[]> text = post(client, "/text");
            assertThat(text(text)).isEqualTo("Grüße");
            assertThat(text.getResponseHeaders().getContentType()).hasToString("text/plain;charset=UTF-8");
            assertThat(post(client, "/none-created").getStatus()).isEqualTo(HttpStatus.CREATED);
        });
    }

    @Test
    void anAnswerThatTheFirstRequestDoesNotAcceptIsKeptForTheNext() {
        with((shop, client) -> {
            assertThat(post(client, "/map", "image/png").getStatus()).isEqualTo(HttpStatus.NOT_ACCEPTABLE);
            assertThat(text(post(client, "/map"))).isEqualTo("{\"number\":1,\"amount\":10.00}");
            assertThat(shop.calls()).hasValue(1);
        });
    }

    @Test
    void answersOfTheMomentAreNotKept() {
        with((shop, client) -> {
            for (int status : new int[] {401, 403, 408, 409, 423, 425, 429, 500, 503}) {
                for (int call = 1; call <= 2; call++) {
                    EntityExchangeResult<byte[]> answer = post(client, "/status/" + status);
                    assertThat(answer.getStatus().value()).isEqualTo(status);
                    assertThat(text(answer))
                            .isEqualTo("{\"number\":" + shop.calls().get() + ",\"amount\":10.00}");
                }
            }
            assertThat(shop.calls()).hasValue(18);
        });
    }

    @Test
    void aStatusThatTheHandlerSetsIsThatOfTheAnswer() {
        APPLICATION
                .withBean(SettingStatus.class)
                .withPropertyValues("resilience.idempotency.default.fingerprint=false")
                .run(context -> {
                    WebTestClient client =
                            WebTestClient.bindToApplicationContext(context).build();
                    EntityExchangeResult<byte[]> first = post(client, "/set-status/202");
                    assertThat(first.getStatus()).isEqualTo(HttpStatus.ACCEPTED);
                    assertReplayed("/set-status/202", first, post(client, "/set-status/202"));
                });
    }

    @Test
    void aStatusThatTheHandlerSetsIsKeptForTheNextRequestIfTheFirstDoesNotAcceptTheAnswer() {
        APPLICATION
                .withBean(SettingStatus.class)
                .withPropertyValues("resilience.idempotency.default.fingerprint=false")
                .run(context -> {
                    WebTestClient client =
                            WebTestClient.bindToApplicationContext(context).build();
                    assertThat(post(client, "/set-status/202", "image/png").getStatus())
                            .isEqualTo(HttpStatus.NOT_ACCEPTABLE);
                    assertThat(post(client, "/set-status/202").getStatus()).isEqualTo(HttpStatus.ACCEPTED);
                });
    }

    @Test
    void anAnswerOfTheMomentByTheStatusThatTheHandlerSetsIsNotKept() {
        APPLICATION
                .withBean(SettingStatus.class)
                .withPropertyValues("resilience.idempotency.default.fingerprint=false")
                .run(context -> {
                    WebTestClient client =
                            WebTestClient.bindToApplicationContext(context).build();
                    for (int call = 1; call <= 2; call++) {
                        EntityExchangeResult<byte[]> answer = post(client, "/set-status/503");
                        assertThat(answer.getStatus()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
                        assertThat(text(answer)).isEqualTo("{\"number\":" + call + "}");
                    }
                });
    }

    @Test
    void anAnswerThatIsTooLongIsSentAndNotKept() {
        with(APPLICATION.withPropertyValues("resilience.idempotency.default.max-result-size=20B"), (shop, client) -> {
            assertThat(text(post(client, "/map"))).isEqualTo("{\"number\":1,\"amount\":10.00}");
            assertThat(post(client, "/map").getResponseHeaders().get("Idempotency-Replayed"))
                    .isNull();
        });
    }

    @Test
    void anAnswerThatCannotBeKeptLeavesItsKeyTaken() {
        with((shop, client) -> {
            assertThat(post(client, "/broken").getStatus().is5xxServerError()).isTrue();
            assertThat(post(client, "/broken").getStatus()).isEqualTo(HttpStatus.CONFLICT);
            assertThat(text(post(client, "/hidden-stream"))).isEqualTo("[1,2]");
            assertThat(post(client, "/hidden-stream").getStatus()).isEqualTo(HttpStatus.CONFLICT);
        });
    }

    /** As a server does it when the connection is closed. */
    @Test
    void theAnswerToAClientThatHasGoneIsKept() {
        APPLICATION.withBean(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            MockServerHttpRequest request = MockServerHttpRequest.post("/slow")
                    .header("Idempotency-Key", "k")
                    .header(HttpHeaders.ACCEPT, "image/png")
                    .build();
            Disposable waiting = WebHttpHandlerBuilder.applicationContext(context)
                    .build()
                    .handle(request, new MockServerHttpResponse())
                    .subscribe();
            await().until(() -> shop.slow().currentSubscriberCount() == 1);

            waiting.dispose();
            shop.slow().tryEmitValue(ResponseEntity.accepted().body("Grüße"));

            assertThatTheAnswerIsKept(context, "/slow");
        });
    }

    /** Its call goes on, and ends when the request has long had an answer of another kind. */
    @Test
    void theAnswerToARequestThatHasTimedOutIsKept() {
        APPLICATION
                .withBean(Shop.class)
                .withBean(ManualTimeSource.class)
                .withPropertyValues("resilience.order=time-limit,idempotent,bulkhead,circuit-breaker,retry")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    MockServerHttpResponse late = new MockServerHttpResponse();
                    Mono<Void> handled = WebHttpHandlerBuilder.applicationContext(context)
                            .build()
                            .handle(
                                    MockServerHttpRequest.post("/limited")
                                            .header("Idempotency-Key", "k")
                                            .build(),
                                    late);
                    CompletableFuture<Void> ended = handled.toFuture();
                    await().until(() -> shop.slow().currentSubscriberCount() == 1);
                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3));
                    await().until(ended::isDone);
                    assertThat(late.getStatusCode()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);

                    shop.slow().tryEmitValue(ResponseEntity.accepted().body("Grüße"));

                    assertThatTheAnswerIsKept(context, "/limited");
                });
    }

    /** The answer of another kind is no status that the handler has set. */
    @Test
    void theStatusOfATimeoutIsNotThatOfTheAnswer() {
        APPLICATION
                .withBean(Shop.class)
                .withBean(ManualTimeSource.class)
                .withPropertyValues("resilience.order=time-limit,idempotent,bulkhead,circuit-breaker,retry")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    MockServerHttpResponse late = new MockServerHttpResponse();
                    late.beforeCommit(
                            () -> { // the problem is about to be written
                                shop.slowBody().tryEmitValue(Map.of("number", 1));
                                await().until(() -> shop.slowBody().currentSubscriberCount() == 0);
                                return Mono.empty();
                            });
                    CompletableFuture<Void> ended = WebHttpHandlerBuilder.applicationContext(context)
                            .build()
                            .handle(
                                    MockServerHttpRequest.post("/limited-body")
                                            .header("Idempotency-Key", "k")
                                            .build(),
                                    late)
                            .toFuture();
                    await().until(() -> shop.slowBody().currentSubscriberCount() == 1);
                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(3));
                    await().until(ended::isDone);
                    assertThat(late.getStatusCode()).isEqualTo(HttpStatus.GATEWAY_TIMEOUT);

                    WebTestClient client =
                            WebTestClient.bindToApplicationContext(context).build();
                    EntityExchangeResult<byte[]> answer = await().until(
                                    () -> post(client, "/limited-body"),
                                    again -> again.getStatus() != HttpStatus.CONFLICT);
                    assertThat(answer.getStatus()).isEqualTo(HttpStatus.OK);
                    assertThat(text(answer)).isEqualTo("{\"number\":1}");
                    assertThat(shop.calls()).hasValue(1);
                });
    }

    private static void assertThatTheAnswerIsKept(ApplicationContext context, String path) {
        WebTestClient client = WebTestClient.bindToApplicationContext(context).build();
        EntityExchangeResult<byte[]> answer =
                await().until(() -> post(client, path), again -> again.getStatus() != HttpStatus.CONFLICT);
        assertThat(answer.getStatus()).isEqualTo(HttpStatus.ACCEPTED);
        assertThat(text(answer)).isEqualTo("Grüße");
        assertThat(answer.getResponseHeaders().getContentType()).hasToString("text/plain;charset=UTF-8");
        assertThat(context.getBean(Shop.class).calls()).hasValue(1);
    }

    @Test
    void aHandlerThatCallsAnotherOneAnswersItself() {
        APPLICATION.withBean(Shop.class).withBean(Outer.class).run(context -> {
            WebTestClient client =
                    WebTestClient.bindToApplicationContext(context).build();
            assertThat(text(post(client, "/outer"))).isEqualTo("[{\"number\":1,\"amount\":10.00}]");
        });
    }

    @Test
    void onlyTheAnswersOfMonosNeedNoClass() {
        for (Class<?> type : List.of(Blocking.class, Streams.class, Service.class)) {
            APPLICATION
                    .withBean(type)
                    .run(context -> assertThat(context)
                            .as(type.getSimpleName())
                            .hasFailed()
                            .getFailure()
                            .hasStackTraceContaining("could not be read back"));
        }
    }

    @RestController
    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();
        private final Sinks.One<ResponseEntity<Object>> slow = Sinks.one();
        private final Sinks.One<Map<String, Object>> slowBody = Sinks.one();

        AtomicInteger calls() {
            return calls;
        }

        Sinks.One<Map<String, Object>> slowBody() {
            return slowBody;
        }

        Sinks.One<ResponseEntity<Object>> slow() {
            return slow;
        }

        private Map<String, Object> order() {
            Map<String, Object> order = new LinkedHashMap<>();
            order.put("number", calls.incrementAndGet());
            order.put("amount", new BigDecimal("10.00"));
            return order;
        }

        private ResponseEntity.BodyBuilder created() {
            return ResponseEntity.created(URI.create("/orders/1"))
                    .eTag("\"1\"")
                    .header(HttpHeaders.SET_COOKIE, "session=secret");
        }

        @PostMapping("/entity")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Map<String, Object>>> entity(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> created().body(order()));
        }

        @PostMapping("/wildcard")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<?>> wildcard(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> created().body(order()));
        }

        @PostMapping("/map")
        @Idempotent(key = "#key")
        Mono<Map<String, Object>> map(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(this::order);
        }

        @PostMapping("/created-map")
        @Idempotent(key = "#key")
        @ResponseStatus(HttpStatus.CREATED)
        Mono<Map<String, Object>> createdMap(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(this::order);
        }

        @PostMapping("/object")
        @Idempotent(key = "#key")
        Mono<Object> object(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(this::order);
        }

        @PostMapping("/text")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Object>> text(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return ResponseEntity.ok("Grüße");
            });
        }

        @PostMapping("/tree")
        @Idempotent(key = "#key")
        Mono<JsonNode> tree(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> JsonNodeFactory.instance
                    .objectNode()
                    .put("amount", new BigDecimal("10.00"))
                    .put("number", calls.incrementAndGet()));
        }

        @PostMapping("/list")
        @Idempotent(key = "#key")
        Mono<List<Object>> list(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> List.of(order(), "text", 1));
        }

        @PostMapping("/problem")
        @Idempotent(key = "#key")
        Mono<Object> problem(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "no such order");
            });
        }

        @PostMapping("/empty")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Object>> empty(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> {
                calls.incrementAndGet();
                return ResponseEntity.noContent()
                        .location(URI.create("/orders/1"))
                        .build();
            });
        }

        @PostMapping("/none")
        @Idempotent(key = "#key")
        Mono<Object> none(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromRunnable(calls::incrementAndGet);
        }

        @PostMapping("/none-created")
        @Idempotent(key = "#key")
        @ResponseStatus(HttpStatus.CREATED)
        Mono<Map<String, Object>> noneCreated(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromRunnable(calls::incrementAndGet);
        }

        @PostMapping("/status/{status}")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Map<String, Object>>> status(
                @RequestHeader("Idempotency-Key") String key, @PathVariable int status) {
            return Mono.fromSupplier(() -> ResponseEntity.status(status).body(order()));
        }

        @PostMapping("/broken")
        @Idempotent(key = "#key")
        Mono<Object> broken(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> Map.of("at", new Unwritable()));
        }

        @PostMapping("/hidden-stream")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Object>> hiddenStream(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> ResponseEntity.ok(Flux.just(1, 2)));
        }

        @PostMapping("/limited")
        @TimeLimit(timeout = "2s")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Object>> limited(@RequestHeader("Idempotency-Key") String key) {
            calls.incrementAndGet();
            return slow.asMono();
        }

        @PostMapping("/limited-body")
        @TimeLimit(timeout = "2s")
        @Idempotent(key = "#key")
        Mono<Map<String, Object>> limitedBody(@RequestHeader("Idempotency-Key") String key) {
            calls.incrementAndGet();
            return slowBody.asMono();
        }

        @PostMapping("/slow")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Object>> slow(@RequestHeader("Idempotency-Key") String key) {
            calls.incrementAndGet();
            return slow.asMono();
        }
    }

    @RestController
    static class SettingStatus {

        private final AtomicInteger calls = new AtomicInteger();

        @PostMapping("/set-status/{status}")
        @Idempotent(header = "Idempotency-Key")
        Mono<Map<String, Object>> place(@PathVariable int status, ServerWebExchange exchange) {
            return Mono.fromSupplier(() -> {
                exchange.getResponse().setRawStatusCode(status);
                return Map.of("number", calls.incrementAndGet());
            });
        }
    }

    static class Unwritable {

        public Instant getAt() {
            throw new IllegalStateException("broken");
        }
    }

    @RestController
    static class Outer {

        private final Shop shop;

        Outer(Shop shop) {
            this.shop = shop;
        }

        @RequestMapping("/outer")
        Mono<List<Object>> outer(@RequestHeader("Idempotency-Key") String key) {
            return shop.map(key).map(List::of);
        }
    }

    @RestController
    static class Blocking {

        @PostMapping("/blocking")
        @Idempotent(key = "#key")
        ResponseEntity<Object> place(@RequestHeader("Idempotency-Key") String key) {
            return ResponseEntity.ok(key);
        }
    }

    @RestController
    static class Streams {

        @PostMapping("/stream")
        @Idempotent(key = "#key")
        Mono<ResponseEntity<Flux<String>>> place(@RequestHeader("Idempotency-Key") String key) {
            return Mono.just(ResponseEntity.ok(Flux.just(key)));
        }
    }

    static class Service {

        @Idempotent(key = "#key")
        Mono<Map<String, Object>> place(String key) {
            return Mono.just(Map.of());
        }
    }
}
