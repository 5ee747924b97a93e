package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.RetryOutcome;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** A method with {@code @Async} is protected as any asynchronous one. */
@Timeout(60)
class MethodsOnExecutorsTests {

    private final ApplicationContextRunner application = Applications.plain(Shop.class)
            .withUserConfiguration(Executors.class)
            .withPropertyValues("resilience.retry.default.backoff.base-delay=0");

    @Test
    void failAsTheyDoWithoutAnExecutor() {
        application.run(context -> {
            CompletableFuture<String> answer = context.getBean(Shop.class).place(4);

            assertThat(answer)
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(ConnectException.class)
                    .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(2));
            assertThat(context.getBean(ResilienceRegistry.class)
                            .retries()
                            .get("three")
                            .calls()
                            .get(RetryOutcome.EXHAUSTED))
                    .isEqualTo(1);
        });
    }

    @Test
    void areAnsweredByFallbacksOfEitherKind() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.withFallback().get(30, TimeUnit.SECONDS)).isEqualTo("instead");
            assertThat(shop.withFailingFallback())
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .withMessage("no fallback");
        });
    }

    @Test
    void mayReturnNothingInTime() {
        application.run(context -> {
            assertThat(context.getBean(Shop.class).nothing())
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(NullPointerException.class)
                    .withMessageContaining("in place of a CompletionStage");
        });
    }

    @Test
    void areToldThatTheirStageWasCancelled() {
        application.run(context -> {
            assertThat(context.getBean(Shop.class).cancelsItself())
                    .failsWithin(30, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).isInstanceOf(CancellationException.class),
                            thrown -> assertThat(thrown).hasCauseInstanceOf(CancellationException.class));
        });
    }

    /** Then nothing waits, and the attempts after the first one run on the library's threads. */
    @Test
    void areAsynchronousWithoutTheAdvice() {
        Applications.plain(Shop.class)
                .withBean("orders", ThreadPoolTaskExecutor.class)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    String caller = Thread.currentThread().getName();

                    assertThat(shop.place(1).join()).isEqualTo("attempt 1");

                    assertThat(shop.threads()).containsExactly(caller);
                    assertThat(shop.neverEnds()).isNotCompleted();
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Executors {

        @Bean
        AsyncTaskExecutor orders() {
            ThreadPoolTaskExecutor one = new ThreadPoolTaskExecutor();
            one.setThreadNamePrefix("orders-");
            one.setCorePoolSize(1);
            one.setMaxPoolSize(1);
            return one;
        }
    }

    static class Shop {

        private final List<String> threads = Collections.synchronizedList(new ArrayList<>());

        List<String> threads() {
            return threads;
        }

        /** Succeeds at one attempt alone. */
        @Async("orders")
        @Retryable("three")
        @CircuitBreaker("default")
        @TimeLimit("default")
        public CompletableFuture<String> place(int successAt) {
            threads.add(Thread.currentThread().getName());
            return threads.size() == successAt
                    ? CompletableFuture.completedFuture("attempt " + threads.size())
                    : CompletableFuture.failedFuture(new CompletionException(new ConnectException("refused")));
        }

        @Async("orders")
        @Fallback("instead")
        public CompletableFuture<String> withFallback() {
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        CompletableFuture<String> instead() {
            return CompletableFuture.completedFuture("instead");
        }

        @Async("orders")
        @Fallback("fails")
        public CompletableFuture<String> withFailingFallback() {
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        CompletableFuture<String> fails() {
            return CompletableFuture.failedFuture(new IllegalStateException("no fallback"));
        }

        @Async("orders")
        @Retryable("two")
        public @Nullable CompletableFuture<String> nothing() {
            return null;
        }

        @Async("orders")
        @Retryable("two")
        public CompletableFuture<String> cancelsItself() {
            CompletableFuture<String> stage = new CompletableFuture<>();
            stage.cancel(true);
            return stage;
        }

        @Async("orders")
        @Retryable("two")
        public CompletableFuture<String> neverEnds() {
            return new CompletableFuture<>();
        }
    }
}
