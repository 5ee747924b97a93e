package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceContextAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A method whose body leaves the request's thread has the key of the request that its call came with. */
class HeaderOfMovedCallsTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    @AfterEach
    void noRequest() {
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void anAsyncMethodHasTheKeyOfTheThreadThatCallsIt() {
        assertKept(payments -> payments.payAsync()
                .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
                .join());
    }

    @Test
    void aMonoHasTheKeyOfTheThreadThatSubscribes() {
        assertKept(payments -> payments.payMono().block(SOON));
    }

    @Test
    void aMonoThatIsSubscribedToElsewhereHasTheKeyOfTheThreadThatMadeIt() {
        assertKept(payments ->
                payments.payMono().subscribeOn(Schedulers.boundedElastic()).block(SOON));
    }

    private static void assertKept(Function<Payments, String> call) {
        with(payments -> {
            request("k");
            assertThat(call.apply(payments)).isEqualTo("payment 1");
            assertThat(call.apply(payments)).isEqualTo("payment 1");
            request("other");
            assertThat(call.apply(payments)).isEqualTo("payment 2");
            RequestContextHolder.resetRequestAttributes();
            assertThatThrownBy(() -> call.apply(payments)).hasStackTraceContaining("has no idempotency key");
        });
    }

    private static void request(String key) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Idempotency-Key", key);
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
    }

    private static void with(Consumer<Payments> test) {
        new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        ResilienceContextAutoConfiguration.class,
                        ResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
                .withUserConfiguration(AsyncConfiguration.class)
                .withBean(Payments.class)
                .run(context -> test.accept(context.getBean(Payments.class)));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncConfiguration {}

    public static class Payments {

        private final AtomicInteger payments = new AtomicInteger();

        @Async
        @Idempotent(header = "Idempotency-Key")
        public CompletableFuture<String> payAsync() {
            return CompletableFuture.completedFuture("payment " + payments.incrementAndGet());
        }

        @Idempotent(header = "Idempotency-Key")
        public Mono<String> payMono() {
            return Mono.fromSupplier(() -> "payment " + payments.incrementAndGet());
        }
    }
}
