package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;

/** Live objects of all kinds, whose permits are to be back in the end. Time is manual, waits take one second each. */
final class ProtectedByPipeline {

    static final Duration WAIT = Duration.ofSeconds(1);
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    final ManualTimeSource time = new ManualTimeSource();
    final Resilience resilience = Resilience.builder().timeSource(time).build();
    final Bulkhead bulkhead = resilience.bulkhead(
            "b", BulkheadPolicy.builder().maxConcurrent(2).maxQueue(1).build());
    final CircuitBreaker breaker = resilience.circuitBreaker(
            "c",
            CircuitBreakerPolicy.builder()
                    .failureThreshold(0)
                    .failureRateThreshold(0)
                    .build());

    Pipeline all() {
        return all(false);
    }

    Pipeline all(boolean retryAfterFirstElement) {
        return resilience
                .pipeline("p")
                .bulkhead(bulkhead)
                .circuitBreaker(breaker)
                .retry(retry(retryAfterFirstElement))
                .timeLimit(TimeLimitPolicy.builder().timeout(TIMEOUT).build())
                .build();
    }

    Retry retry(boolean afterFirstElement) {
        return resilience.retry(
                "r" + afterFirstElement,
                RetryPolicy.builder()
                        .maxAttempts(3)
                        .budget(RetryPolicy.NO_BUDGET)
                        .retryAfterFirstElement(afterFirstElement)
                        .backoff(Backoff.builder()
                                .baseDelay(WAIT)
                                .multiplier(1)
                                .jitter(Jitter.NONE)
                                .build())
                        .build());
    }

    long counted(CircuitBreakerOutcome outcome) {
        return breaker.calls().get(outcome);
    }

    void everyPermitIsBack() {
        assertThat(bulkhead.running()).as("permits of the bulkhead").isZero();
        assertThat(bulkhead.queued()).as("queue of the bulkhead").isZero();
    }
}
