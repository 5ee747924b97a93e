package dev.resilience.spring.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.ManualTimeSource;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

/** What each kind does around a method with {@code @Async}, on whichever side that stands. */
@Timeout(60)
class AsyncMethodsTests {

    private static ApplicationContextRunner application(AsyncOrder order, Class<?>... beans) {
        return application(beans).withUserConfiguration(order.configuration);
    }

    private static ApplicationContextRunner application(Class<?>... beans) {
        return Applications.plain(beans)
                .withUserConfiguration(Executors.class)
                .withPropertyValues(
                        "resilience.bulkhead.one.max-concurrent=1",
                        "resilience.time-limit.worker.thread=worker",
                        "resilience.circuit-breaker.default.failure-threshold=100");
    }

    private interface Use {
        void with(Shop shop, ApplicationContext context) throws Exception;
    }

    private static void with(AsyncOrder order, Use use) {
        application(order, Shop.class).run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(Shop.class), context);
        });
    }

    @ParameterizedTest
    @EnumSource
    void areAnsweredByTheirFallbackWhenTheyRanOutOfAttempts(AsyncOrder order) {
        with(order, (shop, context) -> {
            assertThat(result(shop.down(), context)).isEqualTo("instead of refused");

            assertThat(shop.threads()).hasSize(3);
            assertThat(shop.threads().get(0)).startsWith("orders-");
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThat(registry.retries().get("three").calls().get(RetryOutcome.EXHAUSTED))
                    .isEqualTo(1);
            assertThat(registry.circuitBreakers().get("default").calls().get(CircuitBreakerOutcome.FAILURE))
                    .isEqualTo(1);
        });
    }

    /** Only the handing over to the executor would be protected. */
    @ParameterizedTest
    @EnumSource
    void thatReturnNothingAreWarnedOfWhereAsyncStandsInside(AsyncOrder order) {
        application(order, Mails.class).run(context -> {
            assertThat(context).hasNotFailed();
            List<String> warnings = context.getBean(StartupWarnings.class).all();
            assertThat(warnings.stream()
                            .filter(warning -> warning.matches(
                                    ".*Mails\\.send\\(\\) is handed over.*\\[async-inside-protection].*")))
                    .hasSize(order == AsyncOrder.OUTSIDE ? 0 : 1);
            assertThat(warnings).noneMatch(warning -> warning.contains("Mails.receive()"));
        });
    }

    /** The same instance, as from any other method. */
    @ParameterizedTest
    @EnumSource
    void failWithWhatTheyThrew(AsyncOrder order) {
        with(
                order,
                (shop, context) -> assertThat(shop.broken())
                        .failsWithin(30, TimeUnit.SECONDS)
                        .withThrowableThat()
                        .havingCause()
                        .isSameAs(shop.failure()));
    }

    /** One thread of the executor runs each; none of the library's. */
    @ParameterizedTest
    @EnumSource(names = "OUTSIDE", mode = EnumSource.Mode.EXCLUDE)
    void waitInABulkheadAndThenRunInTheirExecutor(AsyncOrder order) throws Exception {
        with(order, (shop, context) -> {
            CompletableFuture<String> first = shop.inBulkhead();
            assertThat(shop.entered().tryAcquire(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<String> second = shop.inBulkhead();
            await().until(() -> context.getBean(ResilienceRegistry.class)
                            .bulkheads()
                            .get("one")
                            .queued()
                    == 1);
            assertThat(second).isNotDone();

            shop.gate().release(2);

            assertThat(first.get(30, TimeUnit.SECONDS)).startsWith("orders-");
            assertThat(second.get(30, TimeUnit.SECONDS)).startsWith("orders-");
        });
    }

    /** Spring's future does not hear of the end of the time, so that the executor's thread goes on. */
    @ParameterizedTest
    @EnumSource(names = "OUTSIDE", mode = EnumSource.Mode.EXCLUDE)
    void failWhenTheirTimeIsOver(AsyncOrder order) {
        with(order, (shop, context) -> {
            CompletableFuture<String> answer = shop.slow();
            assertThat(shop.entered().tryAcquire(30, TimeUnit.SECONDS)).isTrue();

            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(5));

            assertThat(answer)
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TimeLimitExceededException.class);
            assertThat(shop.interrupted().availablePermits()).isZero();
            shop.gate().release();
        });
    }

    /** A thread of the time limit's own is what {@code thread: worker} asks for. */
    @ParameterizedTest
    @EnumSource
    void leaveTheirExecutorForAWorkerThatTheirPolicyAsksFor(AsyncOrder order) {
        with(
                order,
                (shop, context) -> assertThat(result(shop.onWorker(), context))
                        .startsWith(order == AsyncOrder.OUTSIDE ? "resilience-time-limit-worker-" : "orders-"));
    }

    @ParameterizedTest
    @EnumSource(names = "OUTSIDE", mode = EnumSource.Mode.EXCLUDE)
    void areFailedCallsIfTheirExecutorIsFull(AsyncOrder order) {
        with(order, (shop, context) -> {
            context.getBean("orders", ThreadPoolTaskExecutor.class).shutdown();

            assertThat(shop.down()).isCompletedWithValueMatching(answer -> answer.startsWith("instead of"));
            assertThat(shop.rejected())
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TaskRejectedException.class);
        });
    }

    /** Waits included: nothing waits for the method, so no thread can be had back meanwhile. */
    @Test
    void withoutAResultAreRetriedOnOneThreadAndTellSpringOfTheLastFailure() {
        application(AsyncOrder.OUTSIDE, Shop.class, Uncaught.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            shop.sendFails("parcel");

            Uncaught uncaught = context.getBean(Uncaught.class);
            assertThat(uncaught.told.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(UncheckedIOException.class)
                    .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(2));
            assertThat(uncaught.times).hasValue(1);
            assertThat(shop.threads()).hasSize(3);
            assertThat(shop.threads().stream().distinct())
                    .singleElement()
                    .asString()
                    .startsWith("orders-");
        });
    }

    @ParameterizedTest
    @EnumSource
    void areRefusedIfTheirResultIsAPlainFuture(AsyncOrder order) {
        application(order, OldFutures.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("OldFutures.place()")
                        .hasMessageContaining("returns java.util.concurrent.Future")
                        .extracting(failure -> ((ResilienceConfigurationException) failure).action())
                        .asString()
                        .contains("CompletableFuture"));
    }

    @ParameterizedTest
    @EnumSource
    void areRefusedOnceEachIfSpringCannotHandOverTheirResult(AsyncOrder order) {
        application(order, NotHandedOver.class).run(context -> {
            assertThat(context.getStartupFailure())
                    .isInstanceOfSatisfying(ResilienceConfigurationException.class, problems -> {
                        assertThat(problems.problems())
                                .extracting(Throwable::getMessage)
                                .satisfiesExactlyInAnyOrder(
                                        of -> assertThat(of).contains("later() returns java.util.concurrent.Callable"),
                                        of -> assertThat(of).contains("mono() is @Async and returns reactor"),
                                        of -> assertThat(of)
                                                .contains("value() is @Async and returns java.lang.String"));
                    });
        });
    }

    @Service
    static class NotHandedOver {

        @Async
        @Retryable
        public Callable<String> later() {
            return () -> "";
        }

        @Async
        @Retryable
        public Mono<String> mono() {
            return Mono.empty();
        }

        @Async
        @Retryable
        public String value() {
            return "";
        }
    }

    private static String result(CompletableFuture<String> answer, ApplicationContext context) throws Exception {
        ManualTimeSource time = context.getBean(ManualTimeSource.class);
        await().until(() -> {
            time.advance(Duration.ofSeconds(1));
            return answer.isDone();
        });
        return answer.get();
    }

    static class Shop {

        private final IllegalStateException failure = new IllegalStateException("broken");
        private final List<String> threads = Collections.synchronizedList(new ArrayList<>());
        private final Semaphore entered = new Semaphore(0);
        private final Semaphore gate = new Semaphore(0);
        private final Semaphore interrupted = new Semaphore(0);

        IllegalStateException failure() {
            return failure;
        }

        List<String> threads() {
            return threads;
        }

        Semaphore entered() {
            return entered;
        }

        Semaphore gate() {
            return gate;
        }

        Semaphore interrupted() {
            return interrupted;
        }

        @Async("orders")
        @Retryable("three")
        @CircuitBreaker("default")
        @Fallback("instead")
        public CompletableFuture<String> down() {
            threads.add(Thread.currentThread().getName());
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        CompletableFuture<String> instead(Throwable why) {
            return CompletableFuture.completedFuture("instead of " + why.getMessage());
        }

        @Async("orders")
        @Retryable("three")
        public CompletableFuture<String> broken() {
            throw failure;
        }

        @Async("orders")
        @Retryable("three")
        public CompletableFuture<String> rejected() {
            return CompletableFuture.completedFuture("not rejected");
        }

        @Async("orders")
        @Bulkhead("one")
        public CompletableFuture<String> inBulkhead() throws InterruptedException {
            entered.release();
            gate.acquire();
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async("orders")
        @TimeLimit("default")
        public CompletableFuture<String> slow() throws InterruptedException {
            entered.release();
            try {
                gate.acquire();
            } catch (InterruptedException timeIsOver) {
                interrupted.release();
                throw timeIsOver;
            }
            return CompletableFuture.completedFuture("late");
        }

        @Async("orders")
        @TimeLimit("worker")
        public CompletableFuture<String> onWorker() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async("orders")
        @Retryable("three")
        public void sendFails(String what) {
            threads.add(Thread.currentThread().getName());
            throw new UncheckedIOException(new ConnectException("refused"));
        }
    }

    static class OldFutures {

        @Async("orders")
        @Retryable("three")
        public Future<String> place() {
            return CompletableFuture.completedFuture("placed");
        }
    }

    static class Uncaught implements AsyncConfigurer {

        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final AtomicInteger times = new AtomicInteger();

        @Override
        public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
            return (failure, method, arguments) -> {
                times.incrementAndGet();
                told.complete(failure);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Executors {

        @Bean
        ThreadPoolTaskExecutor orders() {
            ThreadPoolTaskExecutor orders = new ThreadPoolTaskExecutor();
            orders.setCorePoolSize(2);
            return orders;
        }
    }

    static class Mails {

        @Async
        @Retryable("three")
        public void send() {}

        @Async
        @Retryable("three")
        public CompletableFuture<String> receive() {
            return CompletableFuture.completedFuture("mail");
        }
    }
}
