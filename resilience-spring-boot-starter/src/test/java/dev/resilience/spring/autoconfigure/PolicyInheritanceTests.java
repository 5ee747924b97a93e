package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.ResilienceRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a policy starts from, and what it changes. */
class PolicyInheritanceTests {

    @TempDir
    Path directory;

    private RetryPolicy payments(String yaml) {
        return registry(yaml).retries().get("payments").policy();
    }

    private ResilienceRegistry registry(String yaml) {
        return YamlApplication.registry(directory, yaml);
    }

    @Nested
    class Default {

        @Test
        void isThereInEachKindWithoutBeingWritten() {
            ResilienceRegistry registry = registry("");
            assertThat(Stream.of(
                            registry.retries(),
                            registry.circuitBreakers(),
                            registry.bulkheads(),
                            registry.timeLimits(),
                            registry.idempotencies(),
                            registry.retryBudgets()))
                    .allSatisfy(live -> assertThat(live).containsOnlyKeys("default"));
            assertThat(registry.retries().get("default").policy()).isEqualTo(RetryPolicy.defaults());
        }

        @Test
        void isWhatEveryPolicyOfItsKindStartsFrom() {
            ResilienceRegistry registry = registry("""
                resilience:
                  circuit-breaker:
                    default: {failure-threshold: 9, window.size: 50}
                    payments: {open-duration: 5s}
                """);
            CircuitBreakerPolicy policy =
                    registry.circuitBreakers().get("payments").policy();
            assertThat(policy.failureThreshold()).isEqualTo(9);
            assertThat(policy.window().size()).isEqualTo(50);
            assertThat(policy.openDuration()).isEqualTo(Duration.ofSeconds(5));
            assertThat(registry.circuitBreakers().get("default").policy().openDuration())
                    .isEqualTo(Duration.ofSeconds(30));
        }

        @Test
        void doesNotReachOtherKinds() {
            ResilienceRegistry registry = registry("""
                resilience:
                  bulkhead.default.max-concurrent: 2
                  retry.payments.max-attempts: 2
                """);
            assertThat(registry.bulkheads()).containsOnlyKeys("default");
            assertThat(registry.retries()).containsOnlyKeys("default", "payments");
        }

        @Test
        void mayStartFromAPreset() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default: {extends: database}
                  payments: {max-attempts: 2}
                """);
            assertThat(policy.maxAttempts()).isEqualTo(2);
            assertThat(policy.backoff().jitter()).isEqualTo(Jitter.EQUAL);
        }
    }

    @Nested
    class Extends {

        @Test
        void goesUpAChainToAPreset() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  payments: {extends: remote, max-attempts: 2}
                  remote: {extends: batch, backoff.max-delay: 1m}
                """);
            assertThat(policy.maxAttempts()).isEqualTo(2);
            assertThat(policy.backoff().maxDelay()).isEqualTo(Duration.ofMinutes(1));
            assertThat(policy.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(5));
            assertThat(policy.backoff().jitter()).isEqualTo(Jitter.PROPORTIONAL);
        }

        @Test
        void goesUpAChainToDefault() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default: {max-duration: 9s}
                  payments: {extends: remote, max-attempts: 2}
                  remote: {max-attempts: 8, honor-retry-after: false}
                """);
            assertThat(policy.maxAttempts()).isEqualTo(2);
            assertThat(policy.honorRetryAfter()).isFalse();
            assertThat(policy.maxDuration()).isEqualTo(Duration.ofSeconds(9));
        }

        @Test
        void ofAPresetTakesThePlaceOfDefault() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default: {max-duration: 9s, max-attempts: 9, retry-on-status: 500}
                  payments: {extends: interactive}
                """);
            assertThat(policy.maxDuration()).isNull();
            assertThat(policy.maxAttempts()).isEqualTo(3);
            assertThat(policy.retryOnStatus()).isEqualTo(RetryPolicy.defaults().retryOnStatus());
        }

        @Test
        void prefersAPolicyToThePresetThatItHides() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  payments: {extends: standard}
                  standard: {max-attempts: 2}
                """);
            assertThat(policy).isEqualTo(RetryPolicy.builder().maxAttempts(2).build());
        }

        @Test
        void mayBeAPlaceholder() {
            RetryPolicy policy = payments("""
                base: interactive
                resilience.retry.payments.extends: ${base}
                """);
            assertThat(policy.backoff().baseDelay()).isEqualTo(Duration.ofMillis(100));
        }
    }

    @Nested
    class Overriding {

        @Test
        void aNestedKeyKeepsItsNeighbours() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default:
                    backoff: {jitter: none, base-delay: 3s}
                  payments:
                    backoff: {multiplier: 3}
                """);
            assertThat(policy.backoff().multiplier()).isEqualTo(3);
            assertThat(policy.backoff().jitter()).isEqualTo(Jitter.NONE);
            assertThat(policy.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(3));
        }

        @Test
        void aListReplacesAll() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default:
                    retry-on: [java.io.IOException, java.io.UncheckedIOException]
                    retry-on-status: [500, 503]
                  payments:
                    retry-on: [java.net.ConnectException]
                    retry-on-status: [429]
                """);
            assertThat(policy.retryOn()).isEqualTo(java.util.List.of(ConnectException.class));
            assertThat(policy.retryOnStatus()).containsExactly(429);
        }

        @Test
        void anotherListLeavesThisOneAlone() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default:
                    retry-on: [java.io.IOException, java.io.UncheckedIOException]
                  payments:
                    do-not-retry-on: [java.net.ConnectException]
                """);
            assertThat(policy.retryOn()).isEqualTo(java.util.List.of(IOException.class, UncheckedIOException.class));
        }

        @Test
        void anEmptyListRemovesAll() {
            RetryPolicy policy = payments("resilience.retry.payments.retry-on-status: []");
            assertThat(policy.retryOnStatus()).isEmpty();
        }

        @Test
        void ofAnEmptyPlaceholderLeavesWhatIsInherited() {
            RetryPolicy policy = payments("""
                resilience.retry:
                  default: {max-duration: 3m, backoff: {base-delay: 2s, jitter: none}}
                  payments: {max-duration: "${nothing:}", backoff: {base-delay: "${nothing:}", jitter: "${nothing:}"}}
                """);
            assertThat(policy.maxDuration()).isEqualTo(Duration.ofMinutes(3));
            assertThat(policy.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(2));
            assertThat(policy.backoff().jitter()).isEqualTo(Jitter.NONE);
        }

        @Test
        void inOnePolicyDoesNotReachItsSiblings() {
            ResilienceRegistry registry = registry("""
                resilience.retry:
                  default: {retry-on: java.io.IOException}
                  invoices: {retry-on: java.lang.IllegalStateException, backoff.base-delay: 7s}
                  payments: {max-attempts: 5}
                """);
            RetryPolicy payments = registry.retries().get("payments").policy();
            assertThat(payments.retryOn()).isEqualTo(java.util.List.of(IOException.class));
            assertThat(payments.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(1));
        }
    }

    @Nested
    class WithoutAnyKey {

        @Test
        void aPolicyIsDefinedAllTheSame() {
            ResilienceRegistry registry = registry("""
                resilience:
                  retry:
                    default: {max-attempts: 6}
                    payments: {}
                    invoices:
                  bulkhead: {payments: {}}
                """);
            assertThat(registry.retries()).containsOnlyKeys("default", "invoices", "payments");
            assertThat(registry.retries().get("payments").policy().maxAttempts())
                    .isEqualTo(6);
            assertThat(registry.retries().get("invoices").policy().maxAttempts())
                    .isEqualTo(6);
            assertThat(registry.bulkheads()).containsOnlyKeys("default", "payments");
        }

        @Test
        void aKindIsNothing() {
            assertThat(registry("""
                resilience:
                  retry: {}
                  bulkhead:
                """).retries()).containsOnlyKeys("default");
        }
    }

    /** Boot merges property sources key by key; so do policies, whichever of them says what. */
    @Test
    void propertySourcesAreMergedKeyByKey() {
        ResilienceRegistry registry = YamlApplication.registry(
                directory,
                "resilience.retry.payments: {max-attempts: 5, max-duration: 9s}",
                Map.of("RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS", "7"));
        RetryPolicy policy = registry.retries().get("payments").policy();
        assertThat(policy.maxAttempts()).isEqualTo(7);
        assertThat(policy.maxDuration()).isEqualTo(Duration.ofSeconds(9));
    }
}
