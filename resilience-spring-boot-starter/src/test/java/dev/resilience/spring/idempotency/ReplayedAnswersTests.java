package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.redis.TestRedis;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers of every kind come back from every store as they were. */
class ReplayedAnswersTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static final List<String> PATHS =
            List.of("/created", "/no-content", "/bytes", "/text", "/list", "/maybe", "/nothing", "/plain", "/null");

    @ParameterizedTest
    @EnumSource
    void fromEachStore(Stores store) {
        store.application(REDIS)
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .withUserConfiguration(Shop.class)
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    for (String path : PATHS) {
                        assertReplayed(path, post(mvc, path), post(mvc, path));
                    }
                    assertThat(context.getBean(Shop.class).calls()).hasValue(PATHS.size());
                });
    }

    private static MockHttpServletResponse post(MockMvcTester mvc, String path) {
        return mvc.post().uri(path).header("Idempotency-Key", "k").exchange().getResponse();
    }

    private static void assertReplayed(String path, MockHttpServletResponse first, MockHttpServletResponse again) {
        assertThat(first.getStatus()).as(path).isBetween(200, 204);
        assertThat(again.getStatus()).as(path).isEqualTo(first.getStatus());
        assertThat(again.getContentAsByteArray()).as(path).isEqualTo(first.getContentAsByteArray());
        for (String kept : List.of(HttpHeaders.LOCATION, HttpHeaders.CONTENT_TYPE, HttpHeaders.ETAG)) {
            assertThat(again.getHeader(kept)).as(path + " " + kept).isEqualTo(first.getHeader(kept));
        }
        assertThat(first.containsHeader("Idempotency-Replayed")).as(path).isFalse();
        assertThat(again.getHeader("Idempotency-Replayed")).as(path).isEqualTo("true");
        assertThat(again.containsHeader(HttpHeaders.SET_COOKIE)).isFalse();
        assertThat(again.containsHeader(HttpHeaders.DATE)).isFalse();
    }

    record Order(int number, String text) {}

    @RestController
    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        private Order order() {
            return new Order(calls.incrementAndGet(), "Grüße");
        }

        @PostMapping("/created")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<Void> created() {
            return ResponseEntity.created(URI.create("/orders/" + order().number()))
                    .eTag("v" + calls)
                    .header(HttpHeaders.SET_COOKIE, "session=secret")
                    .header(HttpHeaders.DATE, "Tue, 15 Nov 1994 08:12:31 GMT")
                    .build();
        }

        @PostMapping("/no-content")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<Void> noContent() {
            order();
            return ResponseEntity.noContent().build();
        }

        @PostMapping("/bytes")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<byte[]> bytes() {
            byte[] bytes = {0, (byte) 0xff, (byte) order().number()};
            return ResponseEntity.ok().contentType(MediaType.APPLICATION_PDF).body(bytes);
        }

        @PostMapping("/text")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<String> text() {
            return ResponseEntity.ok()
                    .contentType(new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8))
                    .body(order().text());
        }

        @PostMapping("/list")
        @Idempotent(header = "Idempotency-Key")
        ResponseEntity<List<Order>> list() {
            return ResponseEntity.ok(List.of(order()));
        }

        @PostMapping("/maybe")
        @Idempotent(header = "Idempotency-Key")
        Optional<Order> maybe() {
            return Optional.of(order());
        }

        @PostMapping("/nothing")
        @Idempotent(header = "Idempotency-Key")
        Optional<Order> nothing() {
            order();
            return Optional.empty();
        }

        @PostMapping("/plain")
        @Idempotent(header = "Idempotency-Key")
        Order plain() {
            return order();
        }

        @PostMapping("/null")
        @Idempotent(header = "Idempotency-Key")
        @Nullable
        Order none() {
            order();
            return null;
        }
    }
}
