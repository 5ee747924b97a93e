package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** A repeated request gets the first one's answer, and is told so. */
@SpringBootTest(
        classes = HttpAnswerTests.Application.class,
        properties = {"resilience.idempotency-store.type=memory", "resilience.idempotency.open.scope=none"})
class HttpAnswerTests {

    private static final AtomicInteger KEYS = new AtomicInteger();

    @Autowired
    WebApplicationContext context;

    @Autowired
    Orders orders;

    private MockMvcTester mvc;
    private String key;

    @BeforeEach
    void newKey() {
        mvc = MockMvcTester.from(context);
        key = "key-" + KEYS.incrementAndGet();
        orders.calls().set(0);
    }

    private MvcTestResult post(String path) {
        return mvc.post().uri(path).header("Idempotency-Key", key).exchange();
    }

    private static void assertReplayed(MvcTestResult answer, boolean replayed) {
        assertThat(answer.getResponse().getHeader("Idempotency-Replayed")).isEqualTo(replayed ? "true" : null);
    }

    @Test
    void statusBodyAndTheHeadersOfTheContentAreReplayed() {
        for (boolean replayed : new boolean[] {false, true, true}) {
            MvcTestResult answer = post("/orders");

            assertThat(answer)
                    .hasStatus(HttpStatus.CREATED)
                    .hasContentType(MediaType.parseMediaType("application/vnd.order+json"))
                    .hasHeader(HttpHeaders.LOCATION, "/orders/1")
                    .hasHeader(HttpHeaders.ETAG, "\"1\"")
                    .hasBodyTextEqualTo("{\"number\":1}");
            assertReplayed(answer, replayed);
            assertThat(answer.getResponse().containsHeader(HttpHeaders.SET_COOKIE))
                    .isEqualTo(!replayed);
            assertThat(answer.getResponse().containsHeader("X-Trace-Id")).isEqualTo(!replayed);
        }
        assertThat(orders.calls()).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 204, 302, 303, 400, 404, 410, 422})
    void answersThatAnotherTryDoesNotChangeAreReplayed(int status) {
        assertReplayed(post("/status/" + status), false);

        MvcTestResult again = post("/status/" + status);

        assertThat(again).hasStatus(status);
        assertReplayed(again, true);
        assertThat(orders.calls()).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {206, 304, 401, 403, 408, 409, 412, 416, 423, 425, 428, 429, 500, 502, 503, 504})
    void answersOfTheMomentOrOfAConditionAreNot(int status) {
        post("/status/" + status);

        MvcTestResult again = post("/status/" + status);

        assertThat(again).hasStatus(status);
        assertReplayed(again, false);
        assertThat(orders.calls()).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/problem/400", "/problem/404", "/problem/422", "/error/410"})
    void problemsThatAnotherTryDoesNotChangeAreReplayed(String path) {
        byte[] first = post(path).getResponse().getContentAsByteArray();

        MvcTestResult again = post(path);

        assertThat(again)
                .hasStatus(Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)))
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body()
                .isEqualTo(first);
        assertReplayed(again, true);
        assertThat(orders.calls()).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/problem/409", "/problem/429", "/problem/500", "/problem/503", "/error/503", "/unavailable"})
    void otherAnswersOfTheMomentAreNotReplayedEither(String path) {
        post(path);

        MvcTestResult again = post(path);

        assertThat(again.getResponse().getStatus()).isGreaterThanOrEqualTo(409);
        assertReplayed(again, false);
        assertThat(orders.calls()).hasValue(2);
    }

    @Test
    void answersOfATypeThatIsUnavailableAreNotReplayed() {
        IdempotentApplication.with(Closed.class, closed -> {
            assertThat(closed.place("k")).isEqualTo(1);
            assertThat(closed.place("k")).isEqualTo(2);
        });
    }

    @Test
    void bodiesOfGenericTypesComeBackAsTheyWere() {
        for (boolean replayed : new boolean[] {false, true}) {
            MvcTestResult answer = post("/list");
            assertThat(answer).hasStatusOk().hasBodyTextEqualTo("[{\"number\":1},{\"number\":2}]");
            assertReplayed(answer, replayed);
        }
    }

    @Test
    void anEmptyAnswerComesBackEmpty() {
        for (boolean replayed : new boolean[] {false, true}) {
            MvcTestResult answer = post("/nothing");
            assertThat(answer).hasStatus(HttpStatus.NO_CONTENT).hasBodyTextEqualTo("");
            assertReplayed(answer, replayed);
        }
    }

    @Test
    void aPlainBodyHasTheStatusOfItsMethod() {
        for (boolean replayed : new boolean[] {false, true}) {
            MvcTestResult answer = post("/plain");
            assertThat(answer).hasStatus(HttpStatus.ACCEPTED).hasBodyTextEqualTo("{\"number\":1}");
            assertReplayed(answer, replayed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"number\": 0}", "{\"number\": \"many\"}", "{"})
    void aBodyThatIsNotValidClaimsNoKey(String invalid) {
        assertThat(postBody(invalid)).hasStatus(HttpStatus.BAD_REQUEST);

        MvcTestResult answer = postBody("{\"number\": 7}");

        assertThat(answer).hasStatusOk().hasBodyTextEqualTo("{\"number\":7}");
        assertReplayed(answer, false);
    }

    private MvcTestResult postBody(String body) {
        return mvc.post()
                .uri("/valid")
                .header("Idempotency-Key", key)
                .contentType(MediaType.APPLICATION_JSON)
                .content(body)
                .exchange();
    }

    @Test
    void anAnswerOfNoTypeIsRefusedAtStartup() {
        IdempotentApplication.runner()
                .withBean(AnyAnswer.class)
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasStackTraceContaining("AnyAnswer.place(")
                        .hasStackTraceContaining("could not be read back"));
    }

    @Test
    void anAnswerOfNoTypeCanBeGivenTheTypeOfItsBody() {
        IdempotentApplication.runner().withBean(TypedAnswer.class).run(context -> {
            TypedAnswer bean = context.getBean(TypedAnswer.class);
            assertThat(bean.place("k").getBody()).isEqualTo(new Order(1));
            assertThat(bean.place("k").getBody()).isEqualTo(new Order(1));
        });
    }

    record Order(@Positive int number) {}

    /** An answer that says its status itself. */
    @JsonIncludeProperties("status")
    record Refusal(int status) implements ErrorResponse {

        @Override
        public HttpStatusCode getStatusCode() {
            return HttpStatusCode.valueOf(status);
        }

        @Override
        public ProblemDetail getBody() {
            return ProblemDetail.forStatus(status);
        }
    }

    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    static class Closed {

        private int calls;

        @Idempotent(key = "#key")
        int place(String key) {
            return ++calls;
        }
    }

    static class AnyAnswer {

        @Idempotent(key = "#key")
        ResponseEntity<?> place(String key) {
            return ResponseEntity.ok(key);
        }
    }

    static class TypedAnswer {

        private int calls;

        @Idempotent(key = "#key", resultType = Order.class)
        ResponseEntity<?> place(String key) {
            return ResponseEntity.ok(new Order(++calls));
        }
    }

    @RestController
    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/orders")
        ResponseEntity<Order> place() {
            int number = calls.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + number))
                    .contentType(MediaType.parseMediaType("application/vnd.order+json"))
                    .eTag(String.valueOf(number))
                    .header(HttpHeaders.SET_COOKIE, "session=secret")
                    .header("X-Trace-Id", "4711")
                    .body(new Order(number));
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/status/{status}")
        ResponseEntity<Void> status(@PathVariable int status) {
            calls.incrementAndGet();
            return ResponseEntity.status(status).build();
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/problem/{status}")
        ProblemDetail problem(@PathVariable int status) {
            return ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(status), "call " + calls.incrementAndGet());
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/error/{status}")
        Refusal error(@PathVariable int status) {
            calls.incrementAndGet();
            return new Refusal(status);
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/unavailable")
        @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
        Order unavailable() {
            return new Order(calls.incrementAndGet());
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/list")
        ResponseEntity<List<Order>> list() {
            return ResponseEntity.ok(List.of(new Order(calls.incrementAndGet()), new Order(calls.incrementAndGet())));
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/nothing")
        @ResponseStatus(HttpStatus.NO_CONTENT)
        @Nullable
        ResponseEntity<Order> nothing() {
            return ResponseEntity.noContent().build();
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/valid")
        Order valid(@Valid @RequestBody Order order) {
            return order;
        }

        @Idempotent(header = "Idempotency-Key", value = "open")
        @PostMapping("/plain")
        @ResponseStatus(HttpStatus.ACCEPTED)
        Order plain() {
            return new Order(calls.incrementAndGet());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        ValidationAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        ResilienceAutoConfiguration.class,
        ResilienceWebAutoConfiguration.class
    })
    @Import(Orders.class)
    static class Application {}
}
