package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RetryMetersTests {

    @Test
    void aCallThatSucceedsAtOnceIsASuccessWithoutADuration() {
        runner().run(context -> {
            context.getBean(Shop.class).sell();

            assertCalls(context, Map.of("success", 1), 0);
            assertThat(Meters.of(context).all().entrySet())
                    .filteredOn(series -> series.getKey().startsWith("resilience.retry.duration["))
                    .allSatisfy(series -> assertThat(series.getValue()).isZero());
        });
    }

    @Test
    void aCallThatSucceedsLaterIsASuccessAfterRetryAndTakesAsLongAsAllOfIt() {
        runner().run(context -> {
            context.getBean(Callee.class).failNext(2);
            context.getBean(Shop.class).sell();

            assertCalls(context, Map.of("success_after_retry", 1), 2);
            assertDuration(context, "success_after_retry", Duration.ofSeconds(1 + 2));
        });
    }

    @Test
    void aCallThatUsesUpItsAttemptsIsExhausted() {
        runner().run(context -> {
            fail(context);

            assertCalls(context, Map.of("exhausted", 1), 2);
            assertDuration(context, "exhausted", Duration.ofSeconds(1 + 2));
        });
    }

    @Test
    void aTransientFailureWithOneAttemptIsExhaustedToo() {
        runner().withPropertyValues("resilience.retry.default.max-attempts=1").run(context -> {
            fail(context);
            assertCalls(context, Map.of("exhausted", 1), 0);
            assertNoDuration(context, "exhausted");
        });
    }

    @Test
    void aPermanentFailureIsNotRetryable() {
        runner().withPropertyValues("resilience.retry.default.do-not-retry-on=" + ConnectException.class.getName())
                .run(context -> {
                    fail(context);
                    assertCalls(context, Map.of("not_retryable", 1), 0);
                    assertNoDuration(context, "not_retryable");
                });
    }

    @Test
    void aRefusedRetryIsBudgetExhaustedAndTheGaugeShowsWhatIsLeft() {
        runner().withPropertyValues(
                        "resilience.retry-budget.default.min-retries-per-second=1",
                        "resilience.retry-budget.default.window=1s",
                        "resilience.retry.default.backoff.base-delay=0")
                .run(context -> {
                    assertThat(available(context)).isEqualTo(1);

                    fail(context);

                    assertCalls(context, Map.of("budget_exhausted", 1), 1);
                    assertThat(available(context)).isZero();
                    context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(2));
                    assertThat(available(context)).isEqualTo(1);
                });
    }

    @Test
    void aRetryThatWouldComeTooLateIsOutOfTime() {
        runner().withPropertyValues("resilience.retry.default.max-duration=2s").run(context -> {
            fail(context);

            assertCalls(context, Map.of("out_of_time", 1), 1);
            assertDuration(context, "out_of_time", Duration.ofSeconds(1));
        });
    }

    @Test
    void aThreadInterruptedInAWaitIsInterrupted() {
        runner().run(context -> {
            Thread.currentThread().interrupt();
            fail(context);

            assertThat(Thread.interrupted()).isTrue();
            assertCalls(context, Map.of("interrupted", 1), 0);
        });
    }

    @Test
    void aFutureCancelledInAWaitIsInterruptedToo() {
        runner().run(context -> {
            context.getBean(Callee.class).failNext(3);
            context.getBean(Shop.class).sellLater().cancel(true);

            assertCalls(context, Map.of("interrupted", 1), 0);
        });
    }

    @Test
    void anAsynchronousCallCountsWhenItsFutureIsDone() {
        runner().run(context -> {
            context.getBean(Callee.class).failNext(1);
            context.getBean(Shop.class).sellLater();
            assertCalls(context, Map.of(), 0);

            context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(1));

            assertCalls(context, Map.of("success_after_retry", 1), 1);
            assertDuration(context, "success_after_retry", Duration.ofSeconds(1));
        });
    }

    private static ApplicationContextRunner runner() {
        return Meters.application(Shop.class);
    }

    private static void fail(AssertableApplicationContext context) {
        context.getBean(Callee.class).failNext(10);
        assertThatThrownBy(context.getBean(Shop.class)::sell).isInstanceOf(ConnectException.class);
    }

    private static double available(AssertableApplicationContext context) {
        return Meters.of(context).gauge("resilience.retry.budget.available", "name", "default");
    }

    private static void assertCalls(AssertableApplicationContext context, Map<String, Integer> calls, int attempts) {
        Meters meters = Meters.of(context);
        assertThat(meters.countsBy("outcome", "resilience.retry.calls", "name", "default"))
                .isEqualTo(calls);
        assertThat(meters.count("resilience.retry.attempts", "name", "default")).isEqualTo(attempts);
    }

    private static void assertDuration(AssertableApplicationContext context, String outcome, Duration total) {
        var timer = Meters.of(context).timer("resilience.retry.duration", "name", "default", "outcome", outcome);
        assertThat(timer.count()).isEqualTo(1);
        assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo((double) total.toMillis());
    }

    private static void assertNoDuration(AssertableApplicationContext context, String outcome) {
        var timer = Meters.of(context).timer("resilience.retry.duration", "name", "default", "outcome", outcome);
        assertThat(timer.count()).isZero();
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @Retryable("default")
        public CompletableFuture<String> sellLater() {
            return callee.callAsync();
        }
    }
}
