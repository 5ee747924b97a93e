package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call whose caller has a part of the result already, as the first elements of a stream. */
class PartlyAnsweredCallsTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final AtomicInteger attempts = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({"true, false, 1", "true, true, 3", "false, false, 3", "false, true, 3"})
    void isTriedAgainOnlyWhereThePolicyAllowsIt(boolean handsOut, boolean allowed, int expected) {
        Pipeline pipeline = resilience
                .pipeline("p")
                .retry(RetryPolicy.builder()
                        .budget(RetryPolicy.NO_BUDGET)
                        .retryAfterFirstElement(allowed)
                        .build())
                .build();

        CompletableFuture<@Nullable Object> answer = pipeline.invokeAsync(new Failing(handsOut));
        time.advance(Duration.ofHours(1));

        assertThat(answer).isCompletedExceptionally();
        assertThat(attempts).hasValue(expected);
    }

    @Test
    void hasNoFallback() {
        Pipeline pipeline = resilience
                .pipeline("f")
                .fallback(failure -> CompletableFuture.completedFuture("fallback"))
                .build();

        assertThat(pipeline.invokeAsync(new Failing(false))).isCompletedWithValue("fallback");
        assertThat(pipeline.invokeAsync(new Failing(true))).isCompletedExceptionally();
    }

    @Test
    void hasNoResultThatCouldBeJudged() {
        RetryPolicy noBudget = RetryPolicy.builder()
                .budget(RetryPolicy.NO_BUDGET)
                .retryAfterFirstElement(true)
                .retryOnResult(Objects::isNull)
                .failWhenExhausted(true)
                .build();
        CircuitBreaker breaker = resilience.circuitBreaker(
                "b",
                CircuitBreakerPolicy.builder().recordOnResult(Objects::isNull).build());
        Pipeline pipeline = resilience.outermostFirst(breaker, resilience.retry("r", noBudget), breaker);

        assertThat(pipeline.invokeAsync(new Stream())).isCompletedWithValue(null);
        assertThat(attempts).hasValue(1);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.SUCCESS)).isEqualTo(2);
    }

    private final class Stream implements Invocation {

        @Override
        public Object proceed() {
            attempts.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public boolean hasEmitted() {
            return true;
        }
    }

    private final class Failing implements Invocation {

        private final boolean handsOut;

        Failing(boolean handsOut) {
            this.handsOut = handsOut;
        }

        @Override
        public Object proceed() {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(new ConnectException("down"));
        }

        @Override
        public boolean hasEmitted() {
            return handsOut;
        }
    }
}
