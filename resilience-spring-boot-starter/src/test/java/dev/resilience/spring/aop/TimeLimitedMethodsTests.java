package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

@ParameterizedClass
@ValueSource(strings = {"caller", "worker"})
class TimeLimitedMethodsTests {

    private final String thread;

    TimeLimitedMethodsTests(String thread) {
        this.thread = thread;
    }

    @AfterEach
    void noFlagIsLeftBehind() {
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void runWhereThePolicySays() {
        with((shop, context) ->
                assertThat(shop.thread() == Thread.currentThread()).isEqualTo(thread.equals("caller")));
    }

    @Test
    void areInterruptedWhenTheirTimeIsOver() {
        with((shop, context) -> {
            assertThatThrownBy(shop::slow)
                    .isInstanceOf(TimeLimitExceededException.class)
                    .hasMessage("Time limit 'default' exceeded: the call took longer than 2 s");
            assertThat(count(context, TimeLimitOutcome.TIMED_OUT)).isEqualTo(1);
        });
    }

    @Test
    void haveAllTheirTimeInEachAttemptOfARetryWithinABreaker() {
        with((shop, context) -> {
            assertThat(shop.slowTwice()).isEqualTo("attempt 3");
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThat(registry.retries().get("three").calls().get(RetryOutcome.SUCCESS_AFTER_RETRY))
                    .isEqualTo(1);
            assertThat(registry.circuitBreakers().get("default").calls().get(CircuitBreakerOutcome.SUCCESS))
                    .isEqualTo(1);
            assertThat(count(context, TimeLimitOutcome.TIMED_OUT)).isEqualTo(2);
            assertThat(count(context, TimeLimitOutcome.IN_TIME)).isEqualTo(1);
        });
    }

    @Test
    void areFailuresForACircuitBreaker() {
        with((shop, context) -> {
            assertThatThrownBy(shop::slowInBreaker).isInstanceOf(TimeLimitExceededException.class);
            assertThat(context.getBean(ResilienceRegistry.class)
                            .circuitBreakers()
                            .get("default")
                            .calls()
                            .get(CircuitBreakerOutcome.FAILURE))
                    .isEqualTo(1);
        });
    }

    @Test
    void mayFallBack() {
        with((shop, context) -> assertThat(shop.slowWithFallback()).isEqualTo("in place of it"));
    }

    @Test
    void failTheirFuturesAndCancelThem() {
        with((shop, context) -> {
            CompletableFuture<String> answer = shop.later();
            shop.awaitLater();
            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(2));

            assertThat(answer)
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withCauseInstanceOf(TimeLimitExceededException.class);
            await().until(() -> shop.stage().isCancelled()); // the answer fails first
        });
    }

    @Test
    void haveAspectsFurtherIn() {
        with((shop, context) -> {
            shop.thread();
            shop.slowTwice();

            assertThat(context.getBean(Counting.class).calls).hasValue(4);
        });
    }

    @Test
    void leaveNoWorkerBehindWhenTheApplicationEnds() {
        AtomicReference<Thread> ran = new AtomicReference<>();

        with((shop, context) -> ran.set(shop.thread()));

        if (thread.equals("worker")) {
            await().until(() -> !ran.get().isAlive());
        }
    }

    private void with(Use use) {
        Applications.plain(Shop.class, Counting.class)
                .withPropertyValues(
                        "resilience.time-limit.default.timeout=2s", "resilience.time-limit.default.thread=" + thread)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(context.getBean(Shop.class), context);
                });
    }

    private static long count(AssertableApplicationContext context, TimeLimitOutcome outcome) {
        return context.getBean(ResilienceRegistry.class)
                .timeLimits()
                .get("default")
                .calls()
                .get(outcome);
    }

    interface Use {

        void with(Shop shop, AssertableApplicationContext context) throws Throwable;
    }

    static class Shop {

        private final ManualTimeSource time;
        private final AtomicInteger attempts = new AtomicInteger();
        private final CompletableFuture<String> stage = new CompletableFuture<>();
        private final CountDownLatch asked = new CountDownLatch(1);

        Shop(ManualTimeSource time) {
            this.time = time;
        }

        CompletableFuture<String> stage() {
            return stage;
        }

        void awaitLater() throws InterruptedException {
            asked.await();
        }

        @TimeLimit("default")
        Thread thread() {
            return Thread.currentThread();
        }

        @TimeLimit("default")
        String slow() throws InterruptedException {
            time.advance(Duration.ofSeconds(2));
            new CountDownLatch(1).await();
            return "never";
        }

        @CircuitBreaker("default")
        @Retryable("three")
        @TimeLimit("default")
        String slowTwice() throws InterruptedException {
            int attempt = attempts.incrementAndGet();
            return attempt < 3 ? slow() : "attempt " + attempt;
        }

        @CircuitBreaker("default")
        @TimeLimit("default")
        String slowInBreaker() throws InterruptedException {
            return slow();
        }

        @Fallback("inPlaceOfIt")
        @TimeLimit("default")
        String slowWithFallback() throws InterruptedException {
            return slow();
        }

        String inPlaceOfIt(TimeLimitExceededException exceeded) {
            return "in place of it";
        }

        @TimeLimit("default")
        CompletableFuture<String> later() {
            asked.countDown();
            return stage;
        }
    }

    /** Before-advice asks for the invocation of its thread. */
    @Aspect
    static class Counting {

        final AtomicInteger calls = new AtomicInteger();

        @Before("within(dev.resilience.spring.aop.TimeLimitedMethodsTests.Shop)")
        void count() {
            calls.incrementAndGet();
        }
    }
}
