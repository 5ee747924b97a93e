package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.tck.ForwardingStore;
import dev.resilience.spring.idempotency.redis.TestRedis;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What a refused request is told: a problem with a type of its own, and neither its key nor its body. */
class HttpRefusalsTests {

    private static final String KEY = "key-4711";
    private static final String BODY = "my-card-number";

    private static final List<String> NO_KEYS =
            List.of("", " ", "\"\"", "4711\0", "4711\u0001x", "\"4711\tx\"", "4711\u007f", "\"4711", "\"4711\\x\"");

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static WebApplicationContextRunner configured(WebApplicationContextRunner runner) {
        return runner.withPropertyValues(
                        "resilience.idempotency.default.scope=none", "resilience.idempotency.default.lease=100s")
                .withUserConfiguration(Shop.class);
    }

    private static MvcTestResult post(MockMvcTester mvc, String body, Object... keys) {
        return mvc.post()
                .uri("/payments")
                .contentType(MediaType.TEXT_PLAIN)
                .content(body)
                .header("Idempotency-Key", keys)
                .exchange();
    }

    private static void assertProblem(MvcTestResult answer, int status, String type) {
        assertThat(answer).hasStatus(status).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(answer).bodyJson().extractingPath("$.type").isEqualTo("urn:resilience:problem:" + type);
        assertThat(answer).bodyText().doesNotContain("4711", "card", "/payments");
    }

    /** How long a request that comes while the first one runs is told to wait. */
    private static long secondsToWait(MockMvcTester mvc, Shop shop, Runnable before) {
        long[] seconds = {0};
        shop.once(() -> {
            before.run();
            MvcTestResult second = post(mvc, BODY, KEY);
            assertProblem(second, 409, "idempotency-in-progress");
            seconds[0] = Long.parseLong(String.valueOf(second.getResponse().getHeader(HttpHeaders.RETRY_AFTER)));
        });
        assertThat(post(mvc, BODY, KEY)).hasStatusOk();
        return seconds[0];
    }

    @ParameterizedTest
    @EnumSource
    void aKeyInUse(Stores store) {
        configured(store.application(REDIS)).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);

            assertThat(secondsToWait(mvc, context.getBean(Shop.class), () -> {}))
                    .isBetween(1L, 100L);

            assertProblem(post(mvc, "another-card-number", KEY), 422, "idempotency-key-reused");
        });
    }

    @Test
    void theTimeToWaitIsWhatIsLeftOfTheLeaseInMemoryRoundedUp() {
        ManualTimeSource time = new ManualTimeSource();
        configured(Stores.MEMORY.application(REDIS))
                .withBean(TimeSource.class, () -> time)
                .run(context -> assertThat(secondsToWait(
                                MockMvcTester.from(context),
                                context.getBean(Shop.class),
                                () -> time.advance(Duration.ofMillis(20_500))))
                        .isEqualTo(80));
    }

    /** By the database's clock, which nobody here can stop: it is a little less, or nothing, if that takes a while. */
    @Test
    void theTimeToWaitIsWhatIsLeftOfTheLeaseInADatabase() {
        configured(Stores.JDBC.application(REDIS)).run(context -> {
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            Runnable shorten =
                    () -> jdbc.update("UPDATE resilience_idempotency SET valid_until = valid_until - 40000000");

            assertThat(secondsToWait(MockMvcTester.from(context), context.getBean(Shop.class), shorten))
                    .isBetween(1L, 60L);
        });
    }

    @Test
    void noKeyTwoKeysAndOnesThatAreNone() {
        configured(Stores.MEMORY.application(REDIS)).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);

            assertProblem(mvc.post().uri("/payments").content(BODY).exchange(), 400, "idempotency-key-missing");
            assertProblem(post(mvc, BODY, KEY, KEY), 400, "idempotency-key-invalid");
            assertProblem(post(mvc, BODY, KEY.repeat(32)), 400, "idempotency-key-invalid");
            assertThat(post(mvc, BODY, KEY.repeat(32).substring(1))).hasStatusOk();
            for (String key : NO_KEYS) {
                assertProblem(post(mvc, BODY, key), 400, "idempotency-key-invalid");
            }
        });
    }

    @Test
    void aStoreThatIsDown() {
        configured(IdempotentApplication.web())
                .withBean(IdempotencyStore.class, Broken::new)
                .run(context -> {
                    MvcTestResult answer = post(MockMvcTester.from(context), BODY, KEY);
                    assertProblem(answer, 503, "idempotency-store");
                });
    }

    private static final class Broken extends ForwardingStore {

        Broken() {
            super(new MemoryIdempotencyStore(TimeSource.system()));
        }

        @Override
        public Claim claim(ClaimRequest request) {
            throw new IllegalStateException("no connection for " + request.key() + " " + KEY);
        }
    }

    @RestController
    static class Shop {

        private Runnable meanwhile = () -> {};

        void once(Runnable action) {
            meanwhile = () -> {
                meanwhile = () -> {};
                action.run();
            };
        }

        @PostMapping("/payments")
        @Idempotent(header = "Idempotency-Key")
        String pay(@RequestBody String body) {
            meanwhile.run();
            return "paid";
        }
    }
}
