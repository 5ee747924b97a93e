package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonView;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.redis.TestRedis;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.MethodParameter;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.stereotype.Controller;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Answers whose body has no class to be read back as are replayed as JSON, text or bytes. */
class UntypedAnswersTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static final String JSON = MediaType.APPLICATION_JSON_VALUE;

    private static WebApplicationContextRunner application() {
        return Stores.MEMORY.application(REDIS).withPropertyValues("resilience.idempotency.default.scope=none");
    }

    private static MvcTestResult post(MockMvcTester mvc, String path) {
        return post(mvc, path, "k", MediaType.ALL_VALUE);
    }

    private static MvcTestResult post(MockMvcTester mvc, String path, String key, String accept) {
        return mvc.post()
                .uri(path)
                .header("Idempotency-Key", key)
                .header(HttpHeaders.ACCEPT, accept)
                .exchange();
    }

    private static void assertReplayed(String path, MvcTestResult first, MvcTestResult again) {
        MockHttpServletResponse before = first.getResponse();
        MockHttpServletResponse after = again.getResponse();
        assertThat(first.getUnresolvedException()).as(path).isNull();
        assertThat(after.getStatus()).as(path).isEqualTo(before.getStatus());
        assertThat(after.getContentAsByteArray()).as(path).isEqualTo(before.getContentAsByteArray());
        assertThat(after.getContentType()).as(path).isEqualTo(before.getContentType());
        for (String kept : List.of(HttpHeaders.LOCATION, HttpHeaders.ETAG)) {
            assertThat(after.getHeaders(kept)).as(path).isEqualTo(before.getHeaders(kept));
        }
        assertThat(before.containsHeader("Idempotency-Replayed")).as(path).isFalse();
        assertThat(after.getHeader("Idempotency-Replayed")).as(path).isEqualTo("true");
    }

    @ParameterizedTest
    @EnumSource
    void fromEachStore(Stores store) {
        store.application(REDIS)
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .withUserConfiguration(Shop.class)
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    for (String path : List.of(
                            "/entity",
                            "/wildcard",
                            "/raw",
                            "/map",
                            "/created-map",
                            "/object",
                            "/text",
                            "/tree",
                            "/list",
                            "/view-entity",
                            "/enum",
                            "/bytes",
                            "/later-view",
                            "/later",
                            "/later-created",
                            "/mono",
                            "/mono-created",
                            "/mono-none",
                            "/problem",
                            "/empty",
                            "/none",
                            "/none-created",
                            "/api/7")) {
                        assertReplayed(path, post(mvc, path), post(mvc, path));
                    }
                    assertThat(context.getBean(Shop.class).calls()).hasValue(23);
                });
    }

    /** As Tomcat does it when an asynchronous request times out: its objects throw from then on. */
    @Test
    void aRequestThatEndsWhileItsAnswerIsWrittenLosesNothing() {
        application().withUserConfiguration(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            MockMvcTester mvc = MockMvcTester.from(
                    context, builder -> builder.addFilters(new EndsMeanwhile()).build());
            mvc.post().uri("/slow").header("Idempotency-Key", "k").asyncExchange();

            shop.slow().complete(ResponseEntity.accepted().body(Map.of("number", 1)));

            assertThat(post(MockMvcTester.from(context), "/slow"))
                    .hasStatus(HttpStatus.ACCEPTED)
                    .hasHeader("Idempotency-Replayed", "true")
                    .hasBodyTextEqualTo("{\"number\":1}");
            assertThat(shop.calls()).hasValue(1);
        });
    }

    /** Ends the request when its answer is written. */
    private static final class EndsMeanwhile extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            chain.doFilter(request, new HttpServletResponseWrapper(response) {
                @Override
                public String getContentType() {
                    Collections.list(request.getAttributeNames()).forEach(request::removeAttribute);
                    throw new IllegalStateException("The response object has been recycled");
                }
            });
        }
    }

    @Test
    void theFirstAnswerIsAsSpringWouldSendIt() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(post(mvc, "/entity"))
                    .hasStatus(HttpStatus.CREATED)
                    .hasContentType(MediaType.APPLICATION_JSON)
                    .hasHeader(HttpHeaders.LOCATION, "/orders/1")
                    .hasHeader(HttpHeaders.ETAG, "\"1\"")
                    .hasHeader(HttpHeaders.SET_COOKIE, "session=secret")
                    .hasBodyTextEqualTo("{\"number\":1,\"amount\":10.00}");
            assertThat(post(mvc, "/entity").getResponse().containsHeader(HttpHeaders.SET_COOKIE))
                    .isFalse();
            assertThat(post(mvc, "/text"))
                    .hasContentType("text/plain;charset=UTF-8")
                    .hasBodyTextEqualTo("Grüße");
            assertThat(post(mvc, "/created-map"))
                    .hasStatus(HttpStatus.CREATED)
                    .hasBodyTextEqualTo("{\"number\":3,\"amount\":10.00}");
            assertThat(post(mvc, "/tree")).hasBodyTextEqualTo("{\"amount\":10.00,\"number\":4}");
        });
    }

    @Test
    void aStatusThatTheHandlerSetsIsThatOfTheAnswer() {
        application()
                .withBean(SettingStatus.class)
                .withPropertyValues("resilience.idempotency.default.fingerprint=false")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    MvcTestResult first = post(mvc, "/set-status/202");
                    assertThat(first).hasStatus(HttpStatus.ACCEPTED);
                    assertReplayed("/set-status/202", first, post(mvc, "/set-status/202"));

                    assertThat(post(mvc, "/set-status/201", "other", "image/png"))
                            .hasStatus(HttpStatus.NOT_ACCEPTABLE);
                    assertThat(post(mvc, "/set-status/201", "other", JSON)).hasStatus(HttpStatus.CREATED);
                });
    }

    @Test
    void anAnswerOfTheMomentByTheStatusThatTheHandlerSetsIsNotKept() {
        application()
                .withBean(SettingStatus.class)
                .withPropertyValues("resilience.idempotency.default.fingerprint=false")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    for (int call = 1; call <= 2; call++) {
                        assertThat(post(mvc, "/set-status/503"))
                                .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                                .hasBodyTextEqualTo("{\"number\":" + call + "}");
                    }
                });
    }

    @Test
    void whatTheRepetitionAcceptsDoesNotMatter() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            for (String accept : List.of("text/plain", JSON, "image/png")) {
                assertThat(post(mvc, "/text", "k", accept))
                        .hasStatusOk()
                        .hasContentTypeCompatibleWith(MediaType.TEXT_PLAIN)
                        .hasBodyTextEqualTo("Grüße");
            }
        });
    }

    @Test
    void anAnswerThatTheFirstRequestDoesNotAcceptIsKeptForTheNext() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(post(mvc, "/map", "k", "image/png")).hasStatus(HttpStatus.NOT_ACCEPTABLE);
            assertThat(post(mvc, "/map", "k", JSON))
                    .hasStatusOk()
                    .hasBodyTextEqualTo("{\"number\":1,\"amount\":10.00}");
            assertThat(context.getBean(Shop.class).calls()).hasValue(1);
        });
    }

    @Test
    void theViewOfTheHandlerHidesTheSameInTheRepetition() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            for (int call = 0; call < 2; call++) {
                assertThat(post(mvc, "/json-view")).hasStatusOk().hasBodyTextEqualTo("{\"number\":1}");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {409, 429, 500, 503})
    void answersOfTheMomentAreNotKept(int status) {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            for (int call = 1; call <= 2; call++) {
                assertThat(post(mvc, "/status/" + status))
                        .hasStatus(status)
                        .hasBodyTextEqualTo("{\"number\":" + call + ",\"amount\":10.00}");
            }
        });
    }

    @Test
    void anAdviceMakesTheSameOfTheRepeatedBody() {
        application().withUserConfiguration(Shop.class, Envelope.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            for (String path : List.of("/map", "/entity", "/created-map")) {
                MvcTestResult first = post(mvc, path);
                assertThat(first).bodyText().startsWith("{\"content\":{\"number\":");
                assertReplayed(path, first, post(mvc, path));
            }
            assertThat(context.getBean(Envelope.class).bodies()).hasSize(6);
        });
    }

    @Test
    void aFallbackAnswersForACallThatFailed() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            for (int call = 0; call < 2; call++) {
                assertThat(post(mvc, "/failing")).hasStatusOk().hasBodyTextEqualTo("{\"fallback\":true}");
            }
            assertThat(context.getBean(Shop.class).calls()).hasValue(2);
        });
    }

    @Test
    void aHandlerThatCallsAnotherOneAnswersItself() {
        application().withUserConfiguration(Shop.class, Outer.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(post(mvc, "/outer")).hasStatusOk().hasBodyTextEqualTo("[{\"number\":1,\"amount\":10.00}]");
        });
    }

    @Test
    void aCallerInTheApplicationGetsAnEqualBody() {
        application().withUserConfiguration(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            Map<String, Object> first = shop.byKey("k");
            assertThat(shop.byKey("k")).isEqualTo(first).isNotSameAs(first);
            assertThat(shop.calls()).hasValue(1);
        });
    }

    /** As a test with {@code webEnvironment = NONE} has it. */
    @Test
    void anApplicationWithoutRequestsStartsWithItsControllers() {
        IdempotentApplication.runner()
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .withBean(Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Shop.class).byKey("k")).containsEntry("number", 1);
                    assertThat(context.getBean(Shop.class).byKey("k")).containsEntry("number", 1);
                    assertThat(context.getBean(Shop.class).calls()).hasValue(1);
                });
    }

    @Test
    void aContentThatCanBeReadOnceIsNotKept() {
        application().withUserConfiguration(Shop.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(post(mvc, "/hidden-resource")).hasStatusOk().hasBodyTextEqualTo("bytes");
            assertThat(post(mvc, "/hidden-resource")).hasStatus(HttpStatus.CONFLICT);
        });
    }

    @Test
    void whatCannotBeReadBackIsRefused() {
        for (Class<?> type : List.of(Service.class, View.class, Reason.class, Stream.class, Abstract.class)) {
            application()
                    .withBean(type)
                    .run(context -> assertThat(context)
                            .as(type.getSimpleName())
                            .hasFailed()
                            .getFailure()
                            .hasStackTraceContaining("could not be read back"));
        }
    }

    @RestController
    static class SettingStatus {

        private final AtomicInteger calls = new AtomicInteger();

        @PostMapping("/set-status/{status}")
        @Idempotent(header = "Idempotency-Key")
        Map<String, Object> place(@PathVariable int status, HttpServletResponse response) {
            response.setStatus(status);
            return Map.of("number", calls.incrementAndGet());
        }
    }

    interface Public {}

    record Account(
            @JsonView(Public.class) int number,
            @JsonView(Account.class) String password) {}

    interface OrderView {

        int getNumber();
    }

    static class Service {

        @Idempotent(key = "#key")
        Map<String, Object> place(String key) {
            return Map.of();
        }
    }

    @Controller
    static class View {

        @PostMapping("/model")
        @Idempotent(key = "#key")
        Map<String, Object> model(@RequestHeader String key) {
            return Map.of();
        }
    }

    @RestController
    static class Reason {

        @PostMapping("/reason")
        @ResponseStatus(code = HttpStatus.GONE, reason = "it is over")
        @Idempotent(key = "#key")
        Map<String, Object> place(@RequestHeader String key) {
            return Map.of();
        }
    }

    @RestController
    static class Stream {

        @PostMapping("/stream")
        @Idempotent(key = "#key")
        ResponseEntity<Resource> place(@RequestHeader String key) {
            return ResponseEntity.ok().build();
        }
    }

    /** The method itself returns an object of the interface, which no JSON is. */
    @RestController
    static class Abstract {

        @PostMapping("/abstract")
        @Idempotent(key = "#key")
        OrderView view(@RequestHeader String key) {
            return () -> 1;
        }
    }

    @RestController
    static class Outer {

        private final Shop shop;

        Outer(Shop shop) {
            this.shop = shop;
        }

        @PostMapping("/outer")
        List<Object> outer() {
            return List.of(shop.byKey("k"));
        }
    }

    @ControllerAdvice
    static class Envelope implements ResponseBodyAdvice<Object> {

        private final ConcurrentLinkedQueue<Object> bodies = new ConcurrentLinkedQueue<>();

        ConcurrentLinkedQueue<Object> bodies() {
            return bodies;
        }

        @Override
        public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converterType) {
            return returnType.getContainingClass() == Shop.class;
        }

        @Override
        public @Nullable Object beforeBodyWrite(
                @Nullable Object body,
                MethodParameter returnType,
                MediaType selectedContentType,
                Class<? extends HttpMessageConverter<?>> selectedConverterType,
                ServerHttpRequest request,
                ServerHttpResponse response) {
            bodies.add(Map.of());
            return body == null ? "null" : Map.of("content", body);
        }
    }

    interface Api<T> {

        @PostMapping("/api/{id}")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> get(@PathVariable T id);
    }

    @RestController
    static class Shop implements Api<Integer> {

        private final CompletableFuture<ResponseEntity<Map<String, Object>>> slow = new CompletableFuture<>();
        private final AtomicInteger calls = new AtomicInteger();

        CompletableFuture<ResponseEntity<Map<String, Object>>> slow() {
            return slow;
        }

        AtomicInteger calls() {
            return calls;
        }

        private Map<String, Object> order() {
            Map<String, Object> order = new LinkedHashMap<>();
            order.put("number", calls.incrementAndGet());
            order.put("amount", new BigDecimal("10.00"));
            return order;
        }

        @Override
        public ResponseEntity<?> get(Integer id) {
            return ResponseEntity.accepted().body(order());
        }

        @PostMapping("/entity")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<Map<String, Object>> entity() {
            Map<String, Object> order = order();
            return ResponseEntity.created(URI.create("/orders/" + order.get("number")))
                    .eTag("\"" + order.get("number") + "\"")
                    .header(HttpHeaders.SET_COOKIE, "session=secret")
                    .body(order);
        }

        @PostMapping("/wildcard")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> wildcard() {
            return ResponseEntity.accepted().body(order());
        }

        @PostMapping("/raw")
        @Idempotent(header = "Idempotency-Key")
        @SuppressWarnings("rawtypes") // what it is about
        ResponseEntity raw() {
            return ResponseEntity.accepted().body(order());
        }

        @PostMapping("/map")
        @Idempotent(header = "Idempotency-Key")
        Map<String, Object> map() {
            return order();
        }

        @PostMapping("/created-map")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = "Idempotency-Key")
        Map<String, Object> createdMap() {
            return order();
        }

        @PostMapping("/object")
        @Idempotent(header = "Idempotency-Key")
        Object object() {
            return ResponseEntity.status(HttpStatus.ACCEPTED).body(order());
        }

        @PostMapping("/text")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> text() {
            order();
            return ResponseEntity.ok()
                    .contentType(MediaType.parseMediaType("text/plain;charset=UTF-8"))
                    .body("Grüße");
        }

        @PostMapping("/tree")
        @Idempotent(header = "Idempotency-Key")
        JsonNode tree() {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("amount", new BigDecimal("10.00"))
                    .put("number", calls.incrementAndGet());
        }

        @PostMapping("/list")
        @Idempotent(header = "Idempotency-Key")
        List<Map<String, Object>> list() {
            return List.of(order());
        }

        @PostMapping("/view-entity")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<OrderView> view() {
            int number = calls.incrementAndGet();
            return ResponseEntity.ok(() -> number);
        }

        @PostMapping("/later-view")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<OrderView> laterView() {
            int number = calls.incrementAndGet();
            return CompletableFuture.completedFuture(() -> number);
        }

        @PostMapping("/enum")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> constant() {
            calls.incrementAndGet();
            return ResponseEntity.ok(HttpStatus.Series.SUCCESSFUL);
        }

        @PostMapping("/bytes")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> bytes() {
            return ResponseEntity.ok(new byte[] {0, (byte) 0xff, (byte) calls.incrementAndGet()});
        }

        @PostMapping("/json-view")
        @JsonView(Public.class)
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> jsonView() {
            return ResponseEntity.ok(new Account(calls.incrementAndGet(), "secret"));
        }

        @PostMapping("/later")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<ResponseEntity<Map<String, Object>>> later() {
            return CompletableFuture.supplyAsync(() -> ResponseEntity.accepted().body(order()));
        }

        @PostMapping("/slow")
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<ResponseEntity<Map<String, Object>>> answerSlowly() {
            calls.incrementAndGet();
            return slow;
        }

        @PostMapping("/later-created")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = "Idempotency-Key")
        CompletableFuture<Map<String, Object>> laterCreated() {
            return CompletableFuture.supplyAsync(this::order);
        }

        @PostMapping("/mono")
        @Idempotent(header = "Idempotency-Key")
        Mono<ResponseEntity<Map<String, Object>>> mono() {
            return Mono.fromSupplier(() -> ResponseEntity.accepted().body(order()));
        }

        @PostMapping("/mono-created")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = "Idempotency-Key")
        Mono<Map<String, Object>> monoCreated() {
            return Mono.fromSupplier(this::order);
        }

        @PostMapping("/mono-none")
        @Idempotent(header = "Idempotency-Key")
        Mono<Map<String, Object>> monoNone() {
            return Mono.fromRunnable(this::order);
        }

        @PostMapping("/problem")
        @Idempotent(header = "Idempotency-Key")
        Object problem() {
            return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "order " + order().get("number"));
        }

        @PostMapping("/empty")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> empty() {
            order();
            return ResponseEntity.noContent().build();
        }

        @PostMapping("/none")
        @Idempotent(header = "Idempotency-Key")
        @Nullable
        Map<String, Object> none() {
            order();
            return null;
        }

        @PostMapping("/none-created")
        @ResponseStatus(HttpStatus.CREATED)
        @Idempotent(header = "Idempotency-Key")
        @Nullable
        Map<String, Object> noneCreated() {
            order();
            return null;
        }

        @PostMapping("/status/{status}")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> status(@PathVariable int status) {
            return ResponseEntity.status(status).body(order());
        }

        @PostMapping("/failing")
        @Idempotent(header = "Idempotency-Key")
        @Fallback("instead")
        Map<String, Object> failing() {
            throw new IllegalStateException("call " + order().get("number"));
        }

        Map<String, Object> instead() {
            return Map.of("fallback", true);
        }

        @PostMapping("/hidden-resource")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<?> hiddenResource() {
            return ResponseEntity.ok()
                    .contentType(MediaType.TEXT_PLAIN)
                    .body(new ByteArrayResource(new byte[] {98, 121, 116, 101, 115}));
        }

        @PostMapping("/by-key")
        @Idempotent(key = "#key")
        @ResponseBody
        public Map<String, Object> byKey(@RequestHeader String key) {
            return order();
        }
    }
}
