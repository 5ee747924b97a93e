package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.ui.Model;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebSession;
import org.springframework.web.service.annotation.PostExchange;
import reactor.core.publisher.Mono;

/** What Spring gives a handler besides the payload is neither compared nor refused, whatever the handler is mapped by. */
class HandlerArgumentsTests {

    private static final String KEY = "Idempotency-Key";
    private static final String[] PROPERTIES = {
        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none"
    };

    /** Sends a body to a path, with headers that are others in each request, and returns the status. */
    private interface Client {

        int post(String path, String body);
    }

    private interface Use {

        void with(Client client, AtomicInteger calls);
    }

    private static void on(String stack, Use use) {
        if (stack.equals("servlet")) {
            IdempotentApplication.web()
                    .withPropertyValues(PROPERTIES)
                    .withBean(OnServlet.class)
                    .run(context -> use.with(
                            (path, body) -> MockMvcTester.from(context)
                                    .post()
                                    .uri(path)
                                    .header(KEY, "k")
                                    .header("X-Trace", UUID.randomUUID().toString())
                                    .contentType(MediaType.TEXT_PLAIN)
                                    .content(body)
                                    .exchange()
                                    .getResponse()
                                    .getStatus(),
                            context.getBean(OnServlet.class).calls()));
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
                                (path, body) -> client.post()
                                        .uri(path)
                                        .header(KEY, "k")
                                        .header("X-Trace", UUID.randomUUID().toString())
                                        .contentType(MediaType.TEXT_PLAIN)
                                        .bodyValue(body)
                                        .exchange()
                                        .returnResult(Void.class)
                                        .getStatus()
                                        .value(),
                                context.getBean(OnWebFlux.class).calls());
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "servlet, /headers", "servlet, /model", "servlet, /expression", "servlet, /injected", "servlet, /exchanged",
        "reactive, /headers", "reactive, /model", "reactive, /expression", "reactive, /injected", "reactive, /exchanged"
    })
    void areComparedAsFarAsTheyArePayload(String stack, String path) {
        on(stack, (client, calls) -> {
            assertThat(client.post(path + "?size=2", "a")).isEqualTo(200);
            assertThat(client.post(path + "?size=2", "a")).isEqualTo(200);
            assertThat(client.post(path + "?size=2", "b")).isEqualTo(422);
            assertThat(client.post(path + "?size=3", "a")).isEqualTo(422);
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void areAllComparedWhereTheyAreThoseOfAClient() {
        IdempotentApplication.web()
                .withPropertyValues(PROPERTIES)
                .withBean(PaymentService.class)
                .run(context -> {
                    PaymentService client = ((ApplicationContext) context).getBean(PaymentService.class);
                    assertThat(client.pay("k", "here")).isEqualTo("payment 1");
                    assertThat(client.pay("k", "here")).isEqualTo("payment 1");
                    assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                            .isThrownBy(() -> client.pay("k", "there"));
                });
    }

    /** As clients of Feign are. */
    interface PaymentClient {

        @PostMapping("/payments")
        String pay(@RequestParam("key") String key, @RequestHeader("X-Tenant") String tenant);
    }

    static class PaymentService implements PaymentClient {

        private final AtomicInteger sent = new AtomicInteger();

        @Override
        @Idempotent(key = "#key")
        public String pay(String key, String tenant) {
            return "payment " + sent.incrementAndGet();
        }
    }

    interface ServletApi {

        @PostExchange("/exchanged")
        String exchanged(@RequestBody String body, @RequestParam int size, @RequestHeader Map<String, String> headers);
    }

    @RestController
    static class OnServlet implements ServletApi {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        private String answer() {
            return "order " + calls.incrementAndGet();
        }

        @ModelAttribute
        void fill(Model model) {
            model.addAttribute("at", UUID.randomUUID());
        }

        @PostMapping("/headers")
        @Idempotent(header = KEY)
        public String headers(
                @RequestBody String body,
                @RequestParam int size,
                @RequestHeader Map<String, String> single,
                @RequestHeader MultiValueMap<String, String> multiple,
                @RequestHeader HttpHeaders all,
                @RequestHeader(HttpHeaders.CONTENT_TYPE) MediaType type,
                @RequestHeader("X-Trace") Optional<String> trace) {
            return answer();
        }

        @PostMapping("/model")
        @Idempotent(header = KEY)
        public String model(
                @RequestBody String body, @RequestParam int size, Model model, Map<String, Object> attributes) {
            return answer();
        }

        @PostMapping("/expression")
        @Idempotent(header = KEY)
        public String expression(
                @RequestBody String body,
                @RequestParam int size,
                @Value("#{T(java.util.UUID).randomUUID().toString()}") String id) {
            return answer();
        }

        @PostMapping("/injected")
        @Idempotent(header = KEY)
        public String injected(
                @RequestBody String body,
                @RequestParam int size,
                HttpServletRequest request,
                HttpServletResponse response) {
            return answer();
        }

        @Override
        @Idempotent(header = KEY)
        public String exchanged(String body, int size, Map<String, String> headers) {
            return answer();
        }
    }

    interface ReactiveApi {

        @PostExchange("/exchanged")
        Mono<String> exchanged(
                @RequestBody String body, @RequestParam int size, @RequestHeader Map<String, String> headers);
    }

    @RestController
    static class OnWebFlux implements ReactiveApi {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        private Mono<String> answer() {
            return Mono.fromSupplier(() -> "order " + calls.incrementAndGet());
        }

        @ModelAttribute
        void fill(Model model) {
            model.addAttribute("at", UUID.randomUUID());
        }

        @PostMapping("/headers")
        @Idempotent(header = KEY)
        public Mono<String> headers(
                @RequestBody String body,
                @RequestParam int size,
                @RequestHeader Map<String, String> single,
                @RequestHeader MultiValueMap<String, String> multiple,
                @RequestHeader HttpHeaders all,
                @RequestHeader(HttpHeaders.CONTENT_TYPE) MediaType type,
                @RequestHeader("X-Trace") Optional<String> trace) {
            return answer();
        }

        @PostMapping("/model")
        @Idempotent(header = KEY)
        public Mono<String> model(
                @RequestBody String body, @RequestParam int size, Model model, Map<String, Object> attributes) {
            return answer();
        }

        @PostMapping("/expression")
        @Idempotent(header = KEY)
        public Mono<String> expression(
                @RequestBody String body,
                @RequestParam int size,
                @Value("#{T(java.util.UUID).randomUUID().toString()}") String id) {
            return answer();
        }

        @PostMapping("/injected")
        @Idempotent(header = KEY)
        public Mono<String> injected(
                @RequestBody String body,
                @RequestParam int size,
                Mono<Principal> principal,
                Mono<WebSession> session,
                ServerWebExchange exchange,
                ServerHttpResponse response) {
            return answer();
        }

        @Override
        @Idempotent(header = KEY)
        public Mono<String> exchanged(String body, int size, Map<String, String> headers) {
            return answer();
        }
    }
}
