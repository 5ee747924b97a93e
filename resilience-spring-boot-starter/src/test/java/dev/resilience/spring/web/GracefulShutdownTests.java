package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import dev.resilience.spring.registry.ResilienceLifecycle;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The end of an application whose web server waits for its last requests, which wait themselves. */
@Timeout(120)
class GracefulShutdownTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newHttpClient();

    /** What a test does with an application. */
    private interface Use {

        void with(AnnotationConfigServletWebServerApplicationContext application, Shop shop) throws Exception;
    }

    private static void with(Use use, String... properties) {
        new WebApplicationContextRunner(AnnotationConfigServletWebServerApplicationContext::new)
                .withPropertyValues(
                        "server.port=0",
                        "resilience.retry.default.budget=none",
                        "resilience.retry.default.backoff.strategy=fixed",
                        "resilience.retry.default.backoff.base-delay=1s",
                        "resilience.retry.default.backoff.jitter=none",
                        "resilience.retry.hour.budget=none",
                        "resilience.retry.hour.backoff.strategy=fixed",
                        "resilience.retry.hour.backoff.base-delay=1h",
                        "resilience.retry.hour.backoff.max-delay=1h",
                        "resilience.bulkhead.default.max-concurrent=1")
                .withPropertyValues(properties)
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        LifecycleAutoConfiguration.class,
                        TomcatServletWebServerAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        WebMvcAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class))
                .withUserConfiguration(Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(
                            context.getSourceApplicationContext(
                                    AnnotationConfigServletWebServerApplicationContext.class),
                            context.getBean(Shop.class));
                });
    }

    private CompletableFuture<HttpResponse<String>> get(
            AnnotationConfigServletWebServerApplicationContext application, String path) {
        int port = Objects.requireNonNull(application.getWebServer()).getPort();
        URI uri = URI.create("http://localhost:" + port + path);
        return client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    @Test
    void requestsThatWaitForARetryOrAPermitSucceed() {
        with((application, shop) -> {
            CompletableFuture<HttpResponse<String>> running = get(application, "/held");
            await().until(() -> shop.runs() == 1);
            dev.resilience.bulkhead.Bulkhead bulkhead =
                    application.getBean(ResilienceRegistry.class).bulkheads().get("default");
            List<CompletableFuture<HttpResponse<String>>> queued =
                    Stream.generate(() -> get(application, "/held")).limit(20).toList();
            await().until(() -> Objects.requireNonNull(bulkhead).queued() == 20);
            List<CompletableFuture<HttpResponse<String>>> repeated = Stream.generate(
                            () -> get(application, "/repeated"))
                    .limit(20)
                    .toList();
            await().until(() -> shop.attempts() == 20);

            ResilienceLifecycle waits = application.getBean("resilienceInterruptWaits", ResilienceLifecycle.class);
            CompletableFuture<Void> closing = CompletableFuture.runAsync(application::close);
            await().until(() -> !waits.isRunning());
            shop.release();

            for (CompletableFuture<HttpResponse<String>> request : repeated) {
                assertThat(request).succeedsWithin(SOON).returns(200, HttpResponse::statusCode);
            }
            for (CompletableFuture<HttpResponse<String>> request : queued) {
                assertThat(request).succeedsWithin(SOON).returns(200, HttpResponse::statusCode);
            }
            assertThat(running).succeedsWithin(SOON).returns(200, HttpResponse::statusCode);
            assertThat(closing).succeedsWithin(SOON);
        });
    }

    @Test
    void whatWaitsWhenTheGraceIsOverEnds() {
        assertCutOff("spring.lifecycle.timeout-per-shutdown-phase=100ms");
    }

    @Test
    void withoutGraceWaitsEndAtOnce() {
        assertCutOff("server.shutdown=immediate");
    }

    /** The wait is an hour, and the phase would be half a minute. */
    private void assertCutOff(String property) {
        with(
                (application, shop) -> {
                    CompletableFuture<String> call = CompletableFuture.supplyAsync(() -> failure(shop));
                    await().until(() -> shop.attempts() == 1);
                    CompletableFuture<HttpResponse<String>> request = get(application, "/hour");
                    await().until(() -> shop.attempts() == 2);

                    application.close();

                    assertThat(call).succeedsWithin(SOON).isEqualTo("java.net.ConnectException: refused");
                    assertThat(request.handle((response, failure) -> response == null ? 0 : response.statusCode()))
                            .as("its status, if it gets an answer before its connection is closed")
                            .succeedsWithin(SOON)
                            .isIn(0, 500);
                },
                property);
    }

    private static String failure(Shop shop) {
        try {
            return shop.hour();
        } catch (ConnectException failed) {
            return failed.toString();
        }
    }

    @RestController
    static class Shop {

        private final AtomicInteger attempts = new AtomicInteger();
        private final AtomicInteger runs = new AtomicInteger();
        private final CountDownLatch end = new CountDownLatch(1);
        private final ThreadLocal<Boolean> failed = ThreadLocal.withInitial(() -> false);

        int attempts() {
            return attempts.get();
        }

        int runs() {
            return runs.get();
        }

        void release() {
            end.countDown();
        }

        @GetMapping("/repeated")
        @Retryable("default")
        public String repeated() throws ConnectException {
            attempts.incrementAndGet();
            if (!failed.get()) {
                failed.set(true);
                throw new ConnectException("refused");
            }
            return "repeated";
        }

        @GetMapping("/hour")
        @Retryable("hour")
        public String hour() throws ConnectException {
            attempts.incrementAndGet();
            throw new ConnectException("refused");
        }

        @GetMapping("/held")
        @Bulkhead("default")
        public String held() throws InterruptedException {
            runs.incrementAndGet();
            end.await();
            return "held";
        }
    }
}
