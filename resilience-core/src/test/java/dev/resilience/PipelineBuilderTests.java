package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PipelineBuilderTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final Bulkhead bulkhead = resilience.bulkhead("payments", BulkheadPolicy.defaults());
    private final CircuitBreaker breaker = resilience.circuitBreaker("payments", CircuitBreakerPolicy.defaults());
    private final Retry retry = resilience.retry("payments", RetryPolicy.defaults());
    private final TimeLimit limit = resilience.timeLimit("payments", TimeLimitPolicy.defaults());

    /** Named from the inside to the outside, which makes no difference. */
    private final Pipeline payments = resilience
            .pipeline("payments")
            .timeLimit(TimeLimitPolicy.defaults())
            .retry(RetryPolicy.defaults())
            .circuitBreaker(CircuitBreakerPolicy.defaults())
            .bulkhead(BulkheadPolicy.defaults())
            .build();

    @AfterEach
    void close() {
        resilience.close();
    }

    @Test
    void theLayersStandInTheLibrarysOrder() {
        assertThatThrownBy(() -> payments.run(ResilienceTests.REFUSED)).isInstanceOf(ConnectException.class);

        assertCountedInOrder();
    }

    @Test
    void anAsynchronousCallWalksTheSameLayers() {
        CompletableFuture<Object> answer =
                payments.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
        time.advance(Duration.ofMinutes(1));

        assertThat(answer).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(ConnectException.class);
        assertCountedInOrder();
    }

    private void assertCountedInOrder() {
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(1);
        assertThat(breaker.calls().get(CircuitBreakerOutcome.FAILURE)).isEqualTo(1);
        assertThat(retry.calls().get(RetryOutcome.EXHAUSTED)).isEqualTo(1);
        assertThat(limit.calls().get(TimeLimitOutcome.IN_TIME)).isEqualTo(3);
    }

    @Test
    void aFallbackAnswersForRefusalsToo() {
        breaker.forceOpen();
        Pipeline answered = resilience
                .pipeline("payments")
                .circuitBreaker(breaker)
                .fallback(CircuitOpenException.class, refused -> "later: " + refused.name())
                .build();

        String answer = answered.call(() -> "paid");

        assertThat(answer).isEqualTo("later: payments");
    }

    @Test
    void aFallbackForOneTypeLeavesOthersAlone() {
        Pipeline answered = resilience
                .pipeline("payments")
                .fallback(CircuitOpenException.class, refused -> "later")
                .build();

        assertThatThrownBy(() -> answered.run(ResilienceTests.REFUSED)).isInstanceOf(ConnectException.class);
    }

    @Test
    void anAsynchronousFallbackReturnsAStage() {
        Pipeline answered = resilience
                .pipeline("payments")
                .fallback(failure -> CompletableFuture.completedFuture("later"))
                .build();

        assertThat(answered.<Object>callAsync(() -> CompletableFuture.failedFuture(new ConnectException())))
                .isCompletedWithValue("later");
    }

    @Test
    void aLayerIsGivenOnce() {
        PipelineBuilder builder = resilience.pipeline("payments").retry(retry);

        assertThatIllegalStateException().isThrownBy(() -> builder.retry(retry)).withMessageContaining("payments");
    }

    @Test
    void aPipelineWithoutLayersCallsAsIfItWereNotThere() {
        int length = resilience.pipeline("payments").build().call("four"::length);

        assertThat(length).isEqualTo(4);
    }
}
