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
import java.util.concurrent.Semaphore;
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

/** A method with {@code @Async} stays on its executor, which has one thread here, in all of its attempts. */
@Timeout(60)
class MethodsOnExecutorsTests {

    private final ApplicationContextRunner application =
            Applications.plain(Shop.class).withUserConfiguration(Executors.class);

    @Test
    void stayThereInEveryAttempt() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.place(3).get(30, TimeUnit.SECONDS)).isEqualTo("attempt 3");

            assertThat(shop.threads()).hasSize(3).containsOnly("orders-1");
        });
    }

    @Test
    void stayThereIfTheirFutureEndsElsewhere() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.placeElsewhere().get(30, TimeUnit.SECONDS)).isEqualTo("attempt 3");

            assertThat(shop.threads()).hasSize(3).containsOnly("orders-1");
        });
    }

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

    /** The future is Spring's, which tells neither its thread nor the method of its end. */
    @Test
    void goOnWhenTheirFutureIsCancelledButAreNotBegun() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> running = shop.failsAtTheGate();
            CompletableFuture<String> queued = shop.place(1);
            assertThat(shop.entered().tryAcquire(30, TimeUnit.SECONDS)).isTrue();

            assertThat(queued.cancel(true)).isTrue();
            assertThat(running.cancel(true)).isTrue();
            shop.gate().release(3);

            assertThat(shop.idle().get(30, TimeUnit.SECONDS)).isEqualTo("idle");
            assertThat(shop.threads()).as("attempts of the call that ran").hasSize(3);
            assertThat(context.getBean(ResilienceRegistry.class)
                            .retries()
                            .get("three")
                            .calls()
                            .get(RetryOutcome.EXHAUSTED))
                    .isEqualTo(1);
        });
    }

    @Test
    void leaveTheirExecutorToOthersBesideThem() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> first = shop.place(3);
            CompletableFuture<String> second = shop.place(1);

            assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("attempt 3");
            assertThat(second).failsWithin(30, TimeUnit.SECONDS);
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

        private final Semaphore entered = new Semaphore(0);
        private final Semaphore gate = new Semaphore(0);

        Semaphore entered() {
            return entered;
        }

        Semaphore gate() {
            return gate;
        }

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
        @Retryable("three")
        public CompletableFuture<String> failsAtTheGate() throws InterruptedException {
            entered.release();
            gate.acquire();
            threads.add(Thread.currentThread().getName());
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        @Async("orders")
        public CompletableFuture<String> idle() {
            return CompletableFuture.completedFuture("idle");
        }

        @Async("orders")
        @Retryable("three")
        public CompletableFuture<String> placeElsewhere() {
            threads.add(Thread.currentThread().getName());
            return CompletableFuture.supplyAsync(() -> {
                if (threads.size() < 3) {
                    throw new CompletionException(new ConnectException("refused"));
                }
                return "attempt " + threads.size();
            });
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
