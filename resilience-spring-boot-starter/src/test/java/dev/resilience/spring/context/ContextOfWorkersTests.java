package dev.resilience.spring.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.context.ContextCarrier;
import dev.resilience.spring.Applications;
import io.micrometer.context.ContextRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** One worker runs all calls of a test: what the first call brings must not be there for the second. */
@ParameterizedClass
@CsvSource({"time-limit, false", "time-limit, true", "bulkhead, false", "bulkhead, true"})
class ContextOfWorkersTests {

    private static final String KEY = "dev.resilience.test";
    private static final ThreadLocal<@Nullable String> TRACE = new ThreadLocal<>();

    private final boolean ofBulkhead;
    private final boolean asynchronous;
    private final ApplicationContextRunner application = Applications.plain(Shop.class)
            .withPropertyValues(
                    "resilience.time-limit.default.thread=worker",
                    "resilience.bulkhead.default.type=thread-pool",
                    "resilience.bulkhead.default.max-concurrent=1");

    ContextOfWorkersTests(String kind, boolean asynchronous) {
        this.ofBulkhead = kind.equals("bulkhead");
        this.asynchronous = asynchronous;
    }

    @AfterEach
    void clear() {
        MDC.clear();
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
        TRACE.remove();
    }

    @Test
    void theMdc() {
        MDC.put("order", "42");

        assertTravelsAndIsGoneAfterwards(() -> MDC.get("order"), "42", MDC::clear);
    }

    @Test
    void theAuthentication() {
        Authentication ada = new TestingAuthenticationToken("ada", "");
        SecurityContextHolder.getContext().setAuthentication(ada);

        assertTravelsAndIsGoneAfterwards(
                () -> SecurityContextHolder.getContext().getAuthentication(), ada, SecurityContextHolder::clearContext);
    }

    @Test
    void theRequest() {
        RequestAttributes request = new ServletRequestAttributes(new MockHttpServletRequest());
        RequestContextHolder.setRequestAttributes(request);

        assertTravelsAndIsGoneAfterwards(
                RequestContextHolder::getRequestAttributes, request, RequestContextHolder::resetRequestAttributes);
    }

    @Test
    void whatMicrometerHasAnAccessorFor() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, TRACE);
        TRACE.set("trace");

        assertTravelsAndIsGoneAfterwards(TRACE::get, "trace", TRACE::remove);
    }

    @Test
    void whatTheApplicationCarriesItself() {
        ContextCarrier own = task -> {
            String trace = TRACE.get();
            return () -> {
                TRACE.set(trace);
                try {
                    task.run();
                } finally {
                    TRACE.remove();
                }
            };
        };
        TRACE.set("own");
        application.withBean(ContextCarrier.class, () -> own).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(seen(shop, TRACE::get)).isEqualTo("own");
        });
    }

    @Test
    void needsNoneOfTheLibraries() {
        MDC.put("order", "42");
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.security", "org.springframework.web"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(seen(context.getBean(Shop.class), () -> MDC.get("order")))
                            .isEqualTo("42");
                });
    }

    private <T> void assertTravelsAndIsGoneAfterwards(Supplier<@Nullable T> look, T expected, Runnable clear) {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(seen(shop, look)).isSameAs(expected);

            clear.run();
            await().until(() -> shop.worker().getState() == Thread.State.TIMED_WAITING);

            assertThat(seen(shop, look)).isNull();
        });
    }

    private <T> @Nullable T seen(Shop shop, Supplier<@Nullable T> look) throws Exception {
        if (asynchronous) {
            CompletableFuture<@Nullable T> answer = ofBulkhead ? shop.seenLaterInPool(look) : shop.seenLater(look);
            return answer.get(30, TimeUnit.SECONDS);
        }
        return ofBulkhead ? shop.seenInPool(look) : shop.seen(look);
    }

    /** Public, for its proxy is made by the small class path's loader. */
    public static class Shop {

        private final Thread test = Thread.currentThread();
        private volatile Thread worker = test;

        public Thread worker() {
            return worker;
        }

        @TimeLimit("default")
        public <T> @Nullable T seen(Supplier<@Nullable T> look) {
            worker = Thread.currentThread();
            assertThat(worker).isNotSameAs(test);
            return look.get();
        }

        @Bulkhead("default")
        public <T> @Nullable T seenInPool(Supplier<@Nullable T> look) {
            return seen(look);
        }

        @Bulkhead("default")
        public <T> CompletableFuture<@Nullable T> seenLaterInPool(Supplier<@Nullable T> look) {
            return seenLater(look);
        }

        @TimeLimit("default")
        public <T> CompletableFuture<@Nullable T> seenLater(Supplier<@Nullable T> look) {
            return CompletableFuture.completedFuture(seen(look));
        }
    }
}
