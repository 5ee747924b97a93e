package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class AsynchronousFallbacksTests {

    @Test
    void answersWhenTheFutureFails() {
        Applications.with(Async.class, (bean, callee) -> {
            callee.failNext(3);
            assertThat(bean.sell("tea")).isCompletedWithValue("later tea: ConnectException");
            assertThat(callee.calls()).isEqualTo(3);
        });
    }

    @Test
    void answersWhenTheBodyThrowsBeforeItReturnsAFuture() {
        Applications.with(
                Async.class,
                (bean, callee) ->
                        assertThat(bean.thrower().toCompletableFuture()).isCompletedWithValue("caught"));
    }

    @Test
    void failsTheFutureWhenItThrowsItself() {
        Applications.with(Async.class, (bean, callee) -> {
            callee.failNext(1);
            assertThat(bean.doomed())
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(IllegalStateException.class)
                    .withMessage("no fallback either");
        });
    }

    static class Async {

        @Autowired
        Callee callee;

        @Fallback("later")
        @Retryable("at-once")
        public CompletableFuture<String> sell(String what) {
            return callee.callAsync();
        }

        CompletableFuture<String> later(String what, Throwable failure) {
            return CompletableFuture.supplyAsync(
                    () -> "later " + what + ": " + failure.getClass().getSimpleName(), Runnable::run);
        }

        @Fallback("caught")
        public CompletionStage<String> thrower() {
            throw new IllegalStateException("before any future");
        }

        CompletionStage<String> caught() {
            return CompletableFuture.completedFuture("caught");
        }

        @Fallback("worse")
        public CompletableFuture<String> doomed() {
            return callee.callAsync();
        }

        CompletableFuture<String> worse() {
            throw new IllegalStateException("no fallback either");
        }
    }
}
