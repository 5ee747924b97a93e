package dev.resilience.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.retry.BackoffFunction;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.KindsOfTheLibrary;
import dev.resilience.spring.autoconfigure.YamlApplication;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.io.FileNotFoundException;
import java.net.MalformedURLException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Every key of every kind reaches the policy of the live object. The YAML says something else than the default for
 * each; a component that still has its default belongs to a key that was forgotten on the way.
 */
class EveryKeyBindsTests {

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    static class Functions {

        @Bean
        BackoffFunction slowly() {
            return (attempt, failure, result) -> Duration.ofSeconds(10);
        }

        @Bean
        Predicate<Throwable> everyFailure() {
            return failure -> true;
        }
    }

    @Test
    void ofRetries() {
        RetryPolicy policy =
                live("""
            resilience:
              retry-budget:
                shared: {max-ratio: 0.2}
              retry:
                payments:
                  max-attempts: 7
                  max-duration: 2m
                  backoff:
                    strategy: fixed
                    base-delay: 250ms
                    multiplier: 1.5
                    max-delay: 20s
                    jitter: proportional
                    jitter-factor: 0.25
                    function: slowly
                  retry-on: java.io.IOException
                  do-not-retry-on: [java.io.FileNotFoundException, java.net.MalformedURLException]
                  retry-if: everyFailure
                  retry-on-status: 429, 503
                  retry-on-result: "#result == 'later'"
                  retry-unknown: true
                  fail-when-exhausted: true
                  honor-retry-after: false
                  max-retry-after: 5s
                  budget: shared
                  dead-letter: true
                  dead-letter.replay: auto
                  retry-after-first-element: true
                  nested: suppress
            """, Functions.class).retries().get("payments").policy();

        assertNothingIsDefault(policy, RetryPolicy.defaults());
        assertThat(policy.doNotRetryOn()).containsExactly(FileNotFoundException.class, MalformedURLException.class);
        assertThat(policy.retryOnStatus()).containsExactlyInAnyOrder(429, 503);
    }

    @Test
    void ofRetryBudgets() {
        RetryBudgetPolicy policy = live("""
            resilience.retry-budget.payments:
              max-ratio: 0.3
              window: 1m
              min-retries-per-second: 2
            """).retryBudgets().get("payments").policy();

        assertNothingIsDefault(policy, RetryBudgetPolicy.defaults());
    }

    @Test
    void ofCircuitBreakers() {
        CircuitBreakerPolicy policy =
                live("""
            resilience.circuit-breaker.payments:
              failure-threshold: 0
              failure-rate-threshold: 0.25
              minimum-calls: 20
              window:
                type: count
                duration: 2m
                size: 200
              slow-call-duration: 3s
              slow-call-rate-threshold: 0.75
              open-duration: 10s
              open-duration-multiplier: 3
              max-open-duration: 1m
              ramp: 20s
              half-open:
                max-concurrent: 3
                success-threshold: 5
                probe-timeout: 4s
              record-on-result: "#result == 'down'"
              record-on: java.io.IOException
              ignore-on: [java.io.FileNotFoundException]
              initial-state: forced-open
              health: down
              pause-listeners: true
              enforce: 0.5
              max-keys: 500
            """).circuitBreakers().get("payments").policy();

        assertNothingIsDefault(policy, CircuitBreakerPolicy.defaults());
    }

    @Test
    void ofBulkheads() {
        BulkheadPolicy policy = live("""
            resilience.bulkhead.payments:
              max-concurrent: 3
              max-queue: 0
              queue-timeout: 1s
              enforce: 0.5
              max-keys: 500
            """).bulkheads().get("payments").policy();

        assertThat(policy)
                .isEqualTo(BulkheadPolicy.builder()
                        .maxConcurrent(3)
                        .maxQueue(0)
                        .queueTimeout(Duration.ofSeconds(1))
                        .enforce(0.5)
                        .maxKeys(500)
                        .build());
    }

    @Test
    void ofAdaptiveBulkheads() {
        BulkheadPolicy policy = live("""
            resilience.bulkhead.payments:
              type: adaptive
              max-concurrent: 100
              min-concurrent: 5
            """).bulkheads().get("payments").policy();

        assertThat(policy)
                .isEqualTo(BulkheadPolicy.builder()
                        .type(BulkheadPolicy.Type.ADAPTIVE)
                        .maxConcurrent(100)
                        .minConcurrent(5)
                        .build());
    }

    @Test
    void ofRateLimits() {
        RateLimitPolicy policy = live("""
            resilience.rate-limit.payments:
              permits: 5
              period: 1m
              burst: 2
              max-wait: 3s
              max-keys: 500
              on-store-failure: open
            """).rateLimits().get("payments").policy();

        assertThat(policy)
                .isEqualTo(RateLimitPolicy.builder()
                        .permits(5)
                        .period(Duration.ofMinutes(1))
                        .burst(2)
                        .maxWait(Duration.ofSeconds(3))
                        .maxKeys(500)
                        .onStoreFailure(RateLimitPolicy.OnStoreFailure.OPEN)
                        .build());
    }

    @Test
    void ofThreadPools() {
        boolean virtualThreads = Runtime.version().feature() >= 21;
        BulkheadPolicy policy =
                live("""
            resilience.bulkhead.payments:
              type: thread-pool
              max-concurrent: 3
              max-queue: 0
              queue-timeout: 1s
              virtual-threads: %s
            """.formatted(virtualThreads)).bulkheads().get("payments").policy();

        assertThat(policy)
                .isEqualTo(BulkheadPolicy.builder()
                        .type(BulkheadPolicy.Type.THREAD_POOL)
                        .maxConcurrent(3)
                        .maxQueue(0)
                        .queueTimeout(Duration.ofSeconds(1))
                        .virtualThreads(virtualThreads)
                        .build());
    }

    @Test
    void ofTimeLimits() {
        TimeLimitPolicy policy = live("""
            resilience.time-limit.payments:
              timeout: 2s
              thread: worker
              enforce: 0
            """).timeLimits().get("payments").policy();

        assertNothingIsDefault(policy, TimeLimitPolicy.defaults());
    }

    @Test
    void ofIdempotency() {
        IdempotencyPolicy policy = live("""
            resilience.idempotency.payments:
              ttl: 1h
              lease: 20s
              max-lease: 2m
              on-in-progress: wait
              wait-timeout: 3s
              on-abandoned: reject
              fingerprint: false
              replay-exceptions: java.lang.IllegalArgumentException
              on-store-failure: fail-open
              max-result-size: 1MB
              scope: none
              transactional: never
            """).idempotencies().get("payments").policy();

        assertNothingIsDefault(policy, IdempotencyPolicy.defaults());
        assertThat(policy.maxResultSize()).isEqualTo(1024 * 1024);
    }

    /** A component that no key is read for would be no setting; a key without a component would have no effect. */
    @Test
    void andEveryComponentHasAKey() {
        assertThat(KindsOfTheLibrary.all()).hasSizeGreaterThanOrEqualTo(6).allSatisfy(kind -> {
            TreeSet<String> components =
                    new TreeSet<>(values(kind.defaultPolicy()).keySet());
            components.add("extends");
            if (kind.canBeSwitchedOff()) {
                components.add("enabled");
            }
            assertThat(new TreeSet<>(RecordKeys.of(kind).types().keySet()))
                    .as(kind.id())
                    .isEqualTo(components);
        });
    }

    private ResilienceRegistry live(String yaml, Class<?>... beans) {
        return YamlApplication.registry(directory, yaml, beans);
    }

    private static void assertNothingIsDefault(Record policy, Record defaults) {
        Map<String, Object> bound = values(policy);
        values(defaults)
                .forEach((component, value) ->
                        assertThat(bound.get(component)).as(component).isNotEqualTo(value));
    }

    private static Map<String, Object> values(Record policy) {
        return RecordKeys.of(policy.getClass()).values(policy);
    }
}
