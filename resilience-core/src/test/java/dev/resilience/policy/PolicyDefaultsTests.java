package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The defaults are a promise: users who write nothing get these. */
class PolicyDefaultsTests {

    @Test
    void ofRetry() {
        RetryPolicy policy = RetryPolicy.defaults();

        assertThat(policy.maxAttempts()).isEqualTo(3);
        assertThat(policy.maxDuration()).isNull();
        assertThat(policy.retryOn()).isEmpty();
        assertThat(policy.doNotRetryOn()).isEmpty();
        assertThat(policy.retryOnStatus()).containsExactlyInAnyOrder(408, 429, 502, 503, 504);
        assertThat(policy.retryIf()).isNull();
        assertThat(policy.retryOnResult()).isNull();
        assertThat(policy.retryUnknown()).isFalse();
        assertThat(policy.failWhenExhausted()).isFalse();
        assertThat(policy.honorRetryAfter()).isTrue();
        assertThat(policy.maxRetryAfter()).isEqualTo(Duration.ofSeconds(60));
        assertThat(policy.budget()).isNull();
        assertThat(policy.deadLetter()).isFalse();
        assertThat(policy.retryAfterFirstElement()).isFalse();
        assertThat(policy.nested()).isEqualTo(RetryPolicy.Nested.ALLOW);
    }

    @Test
    void ofBackoff() {
        Backoff backoff = RetryPolicy.defaults().backoff();

        assertThat(backoff).isEqualTo(Backoff.DEFAULT);
        assertThat(backoff.strategy()).isEqualTo(Backoff.Strategy.EXPONENTIAL);
        assertThat(backoff.baseDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(backoff.multiplier()).isEqualTo(2.0);
        assertThat(backoff.maxDelay()).isEqualTo(Duration.ofSeconds(30));
        assertThat(backoff.jitter()).isEqualTo(Jitter.FULL);
        assertThat(backoff.jitterFactor()).isEqualTo(0.5);
        assertThat(backoff.function()).isNull();
    }

    @Test
    void ofRetryBudget() {
        RetryBudgetPolicy policy = RetryBudgetPolicy.defaults();

        assertThat(policy.maxRatio()).isEqualTo(0.1);
        assertThat(policy.window()).isEqualTo(Duration.ofSeconds(10));
        assertThat(policy.minRetriesPerSecond()).isEqualTo(10);
    }

    @Test
    void ofCircuitBreaker() {
        CircuitBreakerPolicy policy = CircuitBreakerPolicy.defaults();

        assertThat(policy.failureThreshold()).isEqualTo(5);
        assertThat(policy.failureRateThreshold()).isEqualTo(0.5);
        assertThat(policy.minimumCalls()).isEqualTo(10);
        assertThat(policy.window().type()).isEqualTo(CircuitBreakerPolicy.Window.Type.TIME);
        assertThat(policy.window().duration()).isEqualTo(Duration.ofSeconds(60));
        assertThat(policy.window().size()).isEqualTo(100);
        assertThat(policy.slowCallDuration()).isNull();
        assertThat(policy.slowCallRateThreshold()).isEqualTo(1.0);
        assertThat(policy.openDuration()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.openDurationMultiplier()).isEqualTo(2.0);
        assertThat(policy.ramp()).isZero();
        assertThat(policy.maxOpenDuration()).isEqualTo(Duration.ofMinutes(5));
        assertThat(policy.halfOpen().maxConcurrent()).isEqualTo(1);
        assertThat(policy.halfOpen().successThreshold()).isEqualTo(2);
        assertThat(policy.halfOpen().probeTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.recordOnResult()).isNull();
        assertThat(policy.recordOn()).isEmpty();
        assertThat(policy.ignoreOn()).isEmpty();
        assertThat(policy.initialState()).isEqualTo(CircuitState.CLOSED);
        assertThat(policy.health()).isEqualTo(CircuitBreakerPolicy.Health.IGNORE);
        assertThat(policy.pauseListeners()).isFalse();
        assertThat(policy.enforce()).isEqualTo(1);
        assertThat(policy.maxKeys()).isEqualTo(10_000);
    }

    @Test
    void ofBulkhead() {
        BulkheadPolicy policy = BulkheadPolicy.defaults();

        assertThat(policy.type()).isEqualTo(BulkheadPolicy.Type.SEMAPHORE);
        assertThat(policy.maxConcurrent()).isEqualTo(10);
        assertThat(policy.minConcurrent()).isEqualTo(1);
        assertThat(policy.maxQueue()).isEqualTo(50);
        assertThat(policy.queueTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.virtualThreads()).isFalse();
        assertThat(policy.enforce()).isEqualTo(1);
        assertThat(policy.maxKeys()).isEqualTo(10_000);
    }

    @Test
    void ofRateLimit() {
        RateLimitPolicy policy = RateLimitPolicy.defaults();

        assertThat(policy.permits()).isEqualTo(100);
        assertThat(policy.period()).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.burst()).isNull();
        assertThat(policy.capacity()).isEqualTo(100);
        assertThat(policy.maxWait()).isZero();
        assertThat(policy.maxKeys()).isEqualTo(10_000);
        assertThat(policy.store()).isEqualTo(RateLimitPolicy.Store.MEMORY);
        assertThat(policy.onStoreFailure()).isEqualTo(RateLimitPolicy.OnStoreFailure.SHARE);
    }

    @Test
    void ofTimeLimit() {
        TimeLimitPolicy policy = TimeLimitPolicy.defaults();

        assertThat(policy.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.thread()).isEqualTo(TimeLimitPolicy.RunsOn.CALLER);
        assertThat(policy.enforce()).isEqualTo(1);
    }

    @Test
    void ofIdempotency() {
        IdempotencyPolicy policy = IdempotencyPolicy.defaults();

        assertThat(policy.ttl()).isEqualTo(Duration.ofHours(24));
        assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.maxLease()).isEqualTo(Duration.ofMinutes(10));
        assertThat(policy.onInProgress()).isEqualTo(IdempotencyPolicy.OnInProgress.REJECT);
        assertThat(policy.waitTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(policy.onAbandoned()).isEqualTo(IdempotencyPolicy.OnAbandoned.TAKE_OVER);
        assertThat(policy.fingerprint()).isTrue();
        assertThat(policy.replayExceptions()).isEmpty();
        assertThat(policy.onStoreFailure()).isEqualTo(IdempotencyPolicy.OnStoreFailure.FAIL_CLOSED);
        assertThat(policy.maxResultSize()).isEqualTo(256 * 1024);
        assertThat(policy.scope()).isEqualTo(IdempotencyPolicy.Scope.CALLER);
        assertThat(policy.transactional()).isEqualTo(IdempotencyPolicy.Transactional.AUTO);
    }
}
