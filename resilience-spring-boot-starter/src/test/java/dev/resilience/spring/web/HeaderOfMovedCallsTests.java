package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
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
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.idempotency-store.type=memory", "resilience.idempotency.default.scope=none")
                .withBean(Payments.class)
                .run(context -> test.accept(context.getBean(Payments.class)));
    }

    public static class Payments {

        private final AtomicInteger payments = new AtomicInteger();

        @Idempotent(header = "Idempotency-Key")
        public Mono<String> payMono() {
            return Mono.fromSupplier(() -> "payment " + payments.incrementAndGet());
        }
    }
}
