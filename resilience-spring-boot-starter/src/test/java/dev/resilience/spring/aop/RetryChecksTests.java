package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceHttpClientAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.service.annotation.PostExchange;

/** Retries that are legal, and longer, oftener or more at once than what is around them allows. */
class RetryChecksTests {

    private static ListAssert<String> warnings(Class<?> bean, String... properties) {
        return warnings(Applications.plain(bean).withPropertyValues(properties));
    }

    private static ListAssert<String> warnings(ApplicationContextRunner application) {
        List<String> warnings = new ArrayList<>();
        application.run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(StartupWarnings.class).all().stream()
                    .filter(warning -> warning.contains("[retry-"))
                    .forEach(warnings::add);
        });
        return assertThat(warnings);
    }

    @Nested
    class ATimeLimitAroundAllAttempts {

        private static final String OUTSIDE = "resilience.order=idempotent,bulkhead,circuit-breaker,time-limit,retry";

        @Test
        void isAWarningIfTheWaitsAloneAreLonger() {
            warnings(Limited.class, OUTSIDE, "resilience.time-limit.default.timeout=2s")
                    .singleElement()
                    .asString()
                    .contains("Limited.list()", "retry 'three'", "up to 3 s", "2 s of the time limit 'default'")
                    .endsWith("[retry-beyond-time-limit] (docs/warnings.md#retry-beyond-time-limit)");
        }

        @Test
        void isNoneIfTheWaitsFit() {
            warnings(Limited.class, OUTSIDE, "resilience.time-limit.default.timeout=3s")
                    .isEmpty();
            warnings(
                            Limited.class,
                            OUTSIDE,
                            "resilience.time-limit.default.timeout=2s",
                            "resilience.retry.three.max-duration=1s")
                    .isEmpty();
        }

        @Test
        void isNoneIfItEndsNothing() {
            warnings(
                            Limited.class,
                            OUTSIDE,
                            "resilience.time-limit.default.timeout=2s",
                            "resilience.time-limit.default.enforce=0")
                    .isEmpty();
        }

        @Test
        void isNoneIfItIsAroundEachAttempt() {
            warnings(Limited.class, "resilience.time-limit.default.timeout=10ms")
                    .isEmpty();
        }

        static class Limited {

            @Retryable("three")
            @TimeLimit
            public void list() {}
        }
    }

    @Nested
    class AKnownDeadline {

        @Test
        void ofALeaseIsAWarningIfTheWaitsAloneAreLonger() {
            warnings(
                            Keyed.class,
                            "resilience.retry.three.backoff.base-delay=5m",
                            "resilience.retry.three.backoff.max-delay=1h")
                    .singleElement()
                    .asString()
                    .contains("Keyed.createAll(java.lang.String)", "up to 15 min", "10 min of 'max-lease'")
                    .endsWith("[retry-beyond-deadline] (docs/warnings.md#retry-beyond-deadline)");
            warnings(
                            Keyed.class,
                            "resilience.retry.three.backoff.base-delay=3m",
                            "resilience.retry.three.backoff.max-delay=1h")
                    .isEmpty();
        }

        @Test
        void ofALeaseIsNoneIfEachAttemptHasItsOwn() {
            warnings(
                            Keyed.class,
                            "resilience.order=bulkhead,circuit-breaker,retry,time-limit,idempotent",
                            "resilience.retry.three.backoff.base-delay=5m",
                            "resilience.retry.three.backoff.max-delay=1h")
                    .isEmpty();
        }

        @Test
        void ofAsynchronousRequestsIsAWarningIfTheWaitsAloneAreLonger() {
            warnings(Handler.class, "spring.mvc.async.request-timeout=2s")
                    .singleElement()
                    .asString()
                    .contains("Handler.later()", "2 s of spring.mvc.async.request-timeout")
                    .contains("[retry-beyond-deadline]");
            warnings(Handler.class, "spring.mvc.async.request-timeout=5s").isEmpty();
            warnings(Handler.class).isEmpty();
        }

        static class Keyed {

            @Idempotent(key = "#key")
            @Retryable("three")
            public String createAll(String key) {
                return key;
            }
        }

        static class Handler {

            @GetMapping("/later")
            @Retryable("three")
            public CompletableFuture<String> later() {
                return CompletableFuture.completedFuture("");
            }

            @GetMapping("/now")
            @Retryable("three")
            public String now() {
                return "";
            }
        }
    }

    @Nested
    class WithoutJitter {

        private static final String ON_KUBERNETES = "spring.main.cloud-platform=kubernetes";

        @Test
        void isAWarningOnAPlatformOfManyInstances() {
            warnings(Reader.class, ON_KUBERNETES)
                    .singleElement()
                    .asString()
                    .contains("'resilience.retry.three.backoff.jitter'", "KUBERNETES")
                    .endsWith("[retry-without-jitter] (docs/warnings.md#retry-without-jitter)");
        }

        @Test
        void isNoneElsewhereOrWithJitter() {
            warnings(Reader.class).isEmpty();
            warnings(Reader.class, "spring.main.cloud-platform=none").isEmpty();
            warnings(Reader.class, ON_KUBERNETES, "resilience.retry.three.backoff.jitter=full")
                    .isEmpty();
            warnings(Reader.class, ON_KUBERNETES, "resilience.retry.three.max-attempts=1")
                    .isEmpty();
            warnings(Reader.class, ON_KUBERNETES, "resilience.retry.three.backoff.base-delay=0")
                    .isEmpty();
        }

        @Test
        void isAWarningForAnHttpClientToo() {
            warnings(Applications.plain()
                            .withConfiguration(AutoConfigurations.of(ResilienceHttpClientAutoConfiguration.class))
                            .withPropertyValues(
                                    ON_KUBERNETES,
                                    "resilience.http-client.stock.hosts=stock",
                                    "resilience.http-client.stock.retry=two"))
                    .singleElement()
                    .asString()
                    .contains("'resilience.retry.two.backoff.jitter'");
        }

        static class Reader {

            @Retryable("three")
            public void read() {}
        }
    }

    @Nested
    class OfWhatCreates {

        @ParameterizedTest
        @ValueSource(classes = {ByName.class, ByMapping.class, ByMethodOfMapping.class, ByClient.class})
        void isAWarning(Class<?> bean) {
            warnings(bean)
                    .singleElement()
                    .asString()
                    .contains(bean.getName() + ".", "@Idempotent", "IdempotencyContext.downstreamKeyOrNew()")
                    .endsWith("[retry-of-creation] (docs/warnings.md#retry-of-creation)");
        }

        @Test
        void isNoneIfNothingIsCreatedTwice() {
            warnings(Harmless.class).isEmpty();
        }

        @Test
        void isNoneIfItIsNotTriedAgain() {
            warnings(ByName.class, "resilience.retry.three.max-attempts=1").isEmpty();
        }

        @Test
        void isNoneIfAllAttemptsSendTheSameKey() {
            warnings(
                            ByName.class,
                            "resilience.http-client.stock.hosts=stock",
                            "resilience.http-client.stock.idempotency-key=generate")
                    .isEmpty();
        }

        static class ByName {

            @Retryable("three")
            public void placeOrder(String article) {}
        }

        static class ByMapping {

            @PostMapping("/orders")
            @Retryable("three")
            public void orders(String article) {}
        }

        static class ByMethodOfMapping {

            @RequestMapping(path = "/orders", method = RequestMethod.POST)
            @Retryable("three")
            public void orders(String article) {}
        }

        interface Client {

            @PostExchange("/orders")
            @Retryable("three")
            void orders(String article);
        }

        static class ByClient implements Client {

            @Override
            public void orders(String article) {}
        }

        static class Harmless {

            @Retryable("three")
            @Idempotent(key = "#key")
            public String createOnce(String key) {
                return key;
            }

            @Retryable("three")
            @Transactional
            public void insertInTransaction() {}

            @PostMapping("/orders/search")
            @Retryable("three")
            public void findOrders() {}

            @PostMapping("/orders")
            @Retryable("three")
            public void withKey(@RequestHeader("Idempotency-Key") String key) {}

            @Retryable("three")
            public Stream<String> payments() {
                return Stream.empty();
            }

            @Retryable("three")
            @RequestMapping("/anything")
            public void createdOrders() {}

            @PutMapping("/orders/{number}")
            @Retryable("three")
            public void createOrReplace() {}

            public void createWithoutRetry() {}
        }
    }
}
