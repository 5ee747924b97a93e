package dev.resilience.spring.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.Attempt;
import dev.resilience.context.ContextCarrier;
import dev.resilience.context.Deadline;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.spring.Applications;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What the attempts of an {@code @Async} method find on their threads. */
@Timeout(60)
class ContextOfAsyncMethodsTests {

    private static final String TENANT = "tenant";
    private static final ThreadLocal<@Nullable String> CURRENT_TENANT = new ThreadLocal<>();
    private static final ObservationRegistry OBSERVATIONS = ObservationRegistry.create();

    @AfterEach
    void clear() {
        clearThread();
        ContextRegistry.getInstance().removeThreadLocalAccessor(TENANT);
    }

    private static void clearThread() {
        MDC.clear();
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        CURRENT_TENANT.remove();
    }

    private static ApplicationContextRunner application(AsyncOrder order) {
        return Applications.plain(order.configuration, Shop.class);
    }

    @ParameterizedTest
    @EnumSource
    void isThatOfTheCallByADecoratorOfItsExecutor(AsyncOrder order) {
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor(ObservationThreadLocalAccessor.getInstance())
                .registerThreadLocalAccessor(TENANT, CURRENT_TENANT);
        OBSERVATIONS.observationConfig().observationHandler(context -> true);
        application(order).withUserConfiguration(Decorated.class).run(context -> {
            MDC.put("order", "42");
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ada", "", "USER"));
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
            CURRENT_TENANT.set("acme");
            Observation observation = Observation.start("order", OBSERVATIONS);
            Deadline deadline = Deadline.in(Duration.ofHours(1));
            CompletableFuture<String> answer;
            Seen caller;
            try (Observation.Scope scope = observation.openScope()) {
                assertThat(scope.getCurrentObservation()).isSameAs(observation);
                caller = deadline.call(Seen::here);
                answer = deadline.call(context.getBean(Shop.class)::place);
            }
            clearThread();

            waitFor(answer, context);

            assertThat(answer).isCompletedWithValue("attempt 3");
            assertThat(context.getBean(Shop.class).seen())
                    .hasSize(3)
                    .allSatisfy(seen -> assertThat(seen.ofThread()).isEqualTo(caller.ofThread()))
                    .allSatisfy(seen -> assertThat(seen.deadline).isSameAs(deadline));
        });
    }

    /** Its caller does not wait for it, and its caller's retry hears nothing of it. */
    @ParameterizedTest
    @EnumSource
    void isNoneOfTheCallWhereTheMethodReturnsNothing(AsyncOrder order) {
        application(order).withUserConfiguration(Plain.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            Deadline.in(Duration.ofHours(1)).call(() -> {
                shop.send();
                return "sent";
            });

            assertThat(shop.sent().tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            assertThat(shop.seen()).singleElement().satisfies(seen -> {
                assertThat(seen.thread).startsWith("orders-");
                assertThat(seen.deadline).isNull();
            });
        });
    }

    @Test
    void leavesNothingOnTheThreadsOfTheExecutor() {
        application(AsyncOrder.OUTSIDE).withUserConfiguration(Plain.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            waitFor(Deadline.in(Duration.ofHours(1)).call(shop::place), context);

            assertThat(context.getBean("orders", AsyncTaskExecutor.class)
                            .submitCompletable(Seen::here)
                            .get(30, TimeUnit.SECONDS))
                    .satisfies(seen -> assertThat(seen.deadline).isNull())
                    .satisfies(seen -> assertThat(seen.attempt).isZero());
        });
    }

    private static void waitFor(CompletableFuture<?> answer, ApplicationContext context) {
        ManualTimeSource time = context.getBean(ManualTimeSource.class);
        await().until(() -> {
            time.advance(Duration.ofSeconds(4));
            return answer.isDone();
        });
    }

    record Seen(
            String thread,
            @Nullable String mdc,
            @Nullable Object authentication,
            @Nullable Object request,
            @Nullable Object observation,
            @Nullable String tenant,
            @Nullable Deadline deadline,
            int attempt,
            @Nullable IdempotencyContext idempotency) {

        static Seen here() {
            Observation.Scope scope = OBSERVATIONS.getCurrentObservationScope();
            Attempt attempt = Attempt.current();
            return new Seen(
                    Thread.currentThread().getName(),
                    MDC.get("order"),
                    SecurityContextHolder.getContext().getAuthentication(),
                    RequestContextHolder.getRequestAttributes(),
                    scope == null ? null : scope.getCurrentObservation(),
                    CURRENT_TENANT.get(),
                    Deadline.current(),
                    attempt == null ? 0 : attempt.number(),
                    IdempotencyContext.current());
        }

        List<@Nullable Object> ofThread() {
            List<@Nullable Object> all = new ArrayList<>();
            Collections.addAll(all, mdc, authentication, request, observation, tenant);
            return all;
        }
    }

    static class Shop {

        private final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
        private final Semaphore sent = new Semaphore(0);

        List<Seen> seen() {
            return seen;
        }

        Semaphore sent() {
            return sent;
        }

        @Async("orders")
        @Retryable("three")
        @CircuitBreaker("default")
        public CompletableFuture<String> place() {
            seen.add(Seen.here());
            return seen.size() < 3
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("attempt " + seen.size());
        }

        @Async("orders")
        @Retryable("three")
        public void send() {
            seen.add(Seen.here());
            sent.release();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {

        @Bean
        ThreadPoolTaskExecutor orders() {
            return new ThreadPoolTaskExecutor();
        }

        @Bean
        ThreadPoolTaskExecutor others() {
            return new ThreadPoolTaskExecutor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Decorated {

        @Bean
        TaskDecorator callersContext(ObjectProvider<ContextCarrier> carriers) {
            ContextCarrier all = carriers.orderedStream().reduce(ContextCarrier.standard(), ContextCarrier::and);
            return all::wrap;
        }

        @Bean
        ThreadPoolTaskExecutor orders(TaskDecorator decorator) {
            ThreadPoolTaskExecutor orders = new ThreadPoolTaskExecutor();
            orders.setTaskDecorator(decorator);
            return orders;
        }
    }
}
