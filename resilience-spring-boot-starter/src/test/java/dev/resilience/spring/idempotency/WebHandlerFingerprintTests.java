package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.util.UriComponentsBuilder;

/** In a web handler only payload is compared with that of the first request. */
class WebHandlerFingerprintTests {

    private static WebApplicationContextRunner runner() {
        return IdempotentApplication.web()
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
                .withBean(Orders.class);
    }

    private static int status(MockMvcTester http, String path, String body, String trace) {
        return http.post()
                .uri(path)
                .header("Idempotency-Key", "k")
                .header("X-Trace", trace)
                .header("Accept-Language", trace)
                .cookie(new jakarta.servlet.http.Cookie("visit", trace))
                .contentType(MediaType.TEXT_PLAIN)
                .content(body)
                .exchange()
                .getResponse()
                .getStatus();
    }

    @Test
    void headersCookiesAndWhatSpringInjectsAreNotCompared() {
        runner().run(context -> {
            MockMvcTester http = MockMvcTester.from(context);
            assertThat(status(http, "/orders/1?size=2", "a", "de")).isEqualTo(200);
            assertThat(status(http, "/orders/1?size=2", "a", "fr")).isEqualTo(200);
            assertThat(context.getBean(Orders.class).calls()).hasValue(1);
        });
    }

    @Test
    void bodyPathAndParametersAre() {
        runner().run(context -> {
            MockMvcTester http = MockMvcTester.from(context);
            assertThat(status(http, "/orders/1?size=2", "a", "de")).isEqualTo(200);
            assertThat(status(http, "/orders/1?size=2", "b", "de")).isEqualTo(422);
            assertThat(status(http, "/orders/2?size=2", "a", "de")).isEqualTo(422);
            assertThat(status(http, "/orders/1?size=3", "a", "de")).isEqualTo(422);
            assertThat(context.getBean(Orders.class).calls()).hasValue(1);
        });
    }

    /** Spring keeps the text of a media type in a field when somebody asks for it. */
    @Test
    void whatAnObjectOfSpringKeepsForItselfIsNotCompared() {
        IdempotentApplication.with(Documents.class, documents -> {
            documents.store("k", new MediaType("text", "plain"));
            MediaType asked = new MediaType("text", "plain");
            assertThat(asked).hasToString("text/plain");
            documents.store("k", asked);
            assertThat(documents.calls()).hasValue(1);
        });
    }

    @Test
    void anExpressionSaysWhatIsCompared() {
        IdempotentApplication.with(Documents.class, documents -> {
            documents.sign("k", "text", "today");
            documents.sign("k", "text", "tomorrow");
            assertThat(documents.calls()).hasValue(1);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> documents.sign("k", "another", "today"));
        });
    }

    @Test
    void anExpressionThatNamesNoArgumentFailsTheStartup() {
        IdempotentApplication.runner()
                .withBean(Misnamed.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("The fingerprint expression \"{#text}\"")
                        .hasMessageContaining("'#text' is no argument"));
    }

    static class Misnamed {

        @Idempotent(key = "#key", fingerprint = "{#text}")
        String sign(String key) {
            return key;
        }
    }

    @RestController
    static class Orders {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @PostMapping("/orders/{id}")
        @Idempotent(header = "Idempotency-Key")
        String place(
                @PathVariable String id,
                @RequestParam int size,
                @RequestBody String body,
                @RequestHeader Map<String, String> headers,
                @RequestHeader("X-Trace") String trace,
                @CookieValue String visit,
                HttpServletRequest request,
                HttpServletResponse response,
                HttpSession session,
                WebRequest web,
                @Nullable Principal principal,
                HttpMethod method,
                Locale locale,
                TimeZone zone,
                UriComponentsBuilder uri) {
            return "order " + calls.incrementAndGet();
        }
    }

    static class Documents {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(key = "#key")
        int store(String key, MediaType type) {
            return calls.incrementAndGet();
        }

        @Idempotent(key = "#key", fingerprint = "{#key, #text}")
        int sign(String key, String text, String at) {
            return calls.incrementAndGet();
        }
    }
}
