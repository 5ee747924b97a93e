package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** Keys from request headers. */
@SpringBootTest(classes = KeyHeaderTests.Application.class, properties = "resilience.idempotency-store.type=memory")
class KeyHeaderTests {

    private static final AtomicInteger KEYS = new AtomicInteger();

    @Autowired
    WebApplicationContext context;

    @Autowired
    Controller controller;

    private MockMvcTester mvc;
    private String key;

    @BeforeEach
    void newKey() {
        mvc = MockMvcTester.from(context);
        key = "key-" + KEYS.incrementAndGet();
        controller.calls().set(0);
    }

    private MvcTestResult post(Object... headerValues) {
        return mvc.post()
                .uri("/payments")
                .contentType(MediaType.TEXT_PLAIN)
                .content("order")
                .header("Idempotency-Key", headerValues)
                .exchange();
    }

    private void assertSameCall(Object first, Object second) {
        assertThat(post(first)).hasStatusOk().hasBodyTextEqualTo("{\"order\":\"order\",\"number\":1}");
        assertThat(post(second)).hasStatusOk().hasBodyTextEqualTo("{\"order\":\"order\",\"number\":1}");
        assertThat(controller.calls()).hasValue(1);
    }

    @Nested
    class AreTheSameKey {

        @Test
        void quotedAndBare() {
            assertSameCall("\"" + key + "\"", key);
        }

        @Test
        void withSpacesAround() {
            assertSameCall("  \"" + key + "\" ", key);
        }

        @Test
        void withQuotationMarksInside() {
            assertSameCall("\"" + key + "\\\"\\\\x\"", key + "\"\\x");
        }
    }

    @Nested
    class AreDifferentKeys {

        @Test
        void inDifferentCases() {
            assertThat(post(key)).hasStatusOk();
            assertThat(post(key.toUpperCase(java.util.Locale.ROOT))).hasStatusOk();
            assertThat(controller.calls()).hasValue(2);
        }

        @Test
        void withSpacesInsideTheQuotationMarks() {
            assertThat(post("\"" + key + "\"")).hasStatusOk();
            assertThat(post("\"" + key + " \"")).hasStatusOk();
            assertThat(controller.calls()).hasValue(2);
        }
    }

    @Nested
    class AreRefused {

        private void assertRefused(MvcTestResult answer, String problem) {
            assertThat(answer).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
            assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo("urn:resilience:problem:" + problem);
            assertThat(controller.calls()).hasValue(0);
        }

        @Test
        void ifMissing() {
            assertRefused(
                    mvc.post()
                            .uri("/payments")
                            .contentType(MediaType.TEXT_PLAIN)
                            .content("order")
                            .exchange(),
                    "idempotency-key-missing");
        }

        @Test
        void ifThereAreTwo() {
            assertRefused(post(key, key), "idempotency-key-invalid");
        }

        @Test
        void ifAProxyMadeOneLineOfTwo() {
            assertRefused(post("\"" + key + "\", \"other\""), "idempotency-key-invalid");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "\"\"",
                    "\"",
                    "\"open",
                    "\"escaped\\\"",
                    "\"bad\\escape\"",
                    "\"two\"words\"",
                    "one, two",
                    "one,two"
                })
        void ifEmptyOrNotOneString(String value) {
            MvcTestResult answer = post(value);
            assertRefused(answer, "idempotency-key-invalid");
        }

        @Test
        void ifTooLong() {
            assertRefused(post("x".repeat(256)), "idempotency-key-invalid");
        }

        @Test
        void withoutSayingWhatTheKeyWas() {
            assertThat(post("\"secret-token\\")).bodyText().doesNotContain("secret-token");
        }
    }

    @Test
    void anotherBodyUnderTheSameKeyIsRefused() {
        assertThat(post(key)).hasStatusOk();
        assertThat(mvc.post()
                        .uri("/payments")
                        .contentType(MediaType.TEXT_PLAIN)
                        .content("another order")
                        .header("Idempotency-Key", key))
                .hasStatus(HttpStatus.UNPROCESSABLE_CONTENT);
        assertThat(controller.calls()).hasValue(1);
    }

    @Test
    void aCallOutsideOfARequestHasNoKey() {
        assertThatExceptionOfType(IdempotencyKeyMissingException.class)
                .isThrownBy(() -> controller.pay("order"))
                .withMessageContaining("Idempotency-Key");
    }

    record Receipt(String order, int number) {}

    @RestController
    static class Controller {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @PostMapping("/payments")
        @Idempotent(header = "Idempotency-Key")
        Receipt pay(@RequestBody String order) {
            return new Receipt(order, calls.incrementAndGet());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Controller.class)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        ResilienceAutoConfiguration.class,
        ResilienceWebAutoConfiguration.class
    })
    static class Application {}
}
