package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.LiveRegistry;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** An annotation that names a policy which nobody configured. */
class UnknownPolicyNamesFailTests extends FailingStartup {

    private static final String POLICIES = """
        resilience:
          retry:
            payments: {max-attempts: 5}
            payouts: {max-attempts: 5}
          circuit-breaker:
            payments: {failure-threshold: 3}
          bulkhead:
            payments: {max-concurrent: 3}
          time-limit:
            payments: {timeout: 2s}
          idempotency:
            payments: {ttl: 1h}
        """;

    @Test
    void aRetryPolicy() {
        fail(POLICIES, MisspeltRetry.class)
                .blames(MisspeltRetry.class, "pay(java.lang.String, int)")
                .says("the retry policy 'paymets'", "there is no 'resilience.retry.paymets'")
                .advises("Did you mean 'payments'", "'resilience.retry.paymets'");
    }

    @Test
    void aCircuitBreakerPolicy() {
        fail(POLICIES, MisspeltCircuitBreaker.class)
                .blames(MisspeltCircuitBreaker.class, "pay()")
                .says("the circuit-breaker policy 'Payments'")
                .advises("Did you mean 'payments'?");
    }

    @Test
    void aBulkheadPolicy() {
        fail(POLICIES, UnlikeAnyBulkhead.class)
                .blames(UnlikeAnyBulkhead.class, "pay()")
                .says("the bulkhead policy 'warehouse'")
                .advises("Known are: 'default', 'payments'.");
    }

    @Test
    void aTimeLimitPolicy() {
        fail(POLICIES, MisspeltTimeLimit.class)
                .blames(MisspeltTimeLimit.class, "pay()")
                .says("the time-limit policy 'payment'", "there is no 'resilience.time-limit.payment'")
                .advises("Did you mean 'payments'?");
    }

    @Test
    void anIdempotencyPolicy() {
        fail(POLICIES, MisspeltIdempotency.class)
                .blames(MisspeltIdempotency.class, "pay(java.lang.String)")
                .says("the idempotency policy 'payment'")
                .advises("Did you mean 'payments'?");
    }

    @Test
    void aPresetWhichIsForExtendsOnly() {
        fail(POLICIES, NamesAPreset.class)
                .blames(NamesAPreset.class, "pay()")
                .says("the retry policy 'external-api'")
                .advises("configure the policy under 'resilience.retry.external-api'");
    }

    @Test
    void aNameOnATypeIsFoundThroughItsMethods() {
        fail(POLICIES, MisspeltOnType.class)
                .blames(MisspeltOnType.class, "pay()")
                .says("the retry policy 'paymets'");
    }

    @Nested
    class ByPlaceholder {

        @Test
        void thatCannotBeResolved() {
            fail(POLICIES, Placeholder.class)
                    .blames(Placeholder.class, "pay()")
                    .says("a retry policy by '${payments.policy}'", "cannot be resolved")
                    .advises("Define the property", "${name:default}");
        }

        @Test
        void thatIsResolvedToAnUnknownName() {
            fail(POLICIES + "payments.policy: payment", Placeholder.class)
                    .blames(Placeholder.class, "pay()")
                    .says("the retry policy 'payment'", "${payments.policy}")
                    .advises("Did you mean 'payments'");
        }

        @Test
        void thatIsResolvedToAKnownNameDoesNotFail() {
            try (ConfigurableApplicationContext context =
                    start(POLICIES + "payments.policy: payments", Placeholder.class)) {
                assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "payments"))
                        .containsExactly("Placeholder.pay()");
            }
        }
    }

    static class MisspeltRetry {

        @Retryable("paymets")
        void pay(String order, int amount) {}
    }

    static class MisspeltCircuitBreaker {

        @CircuitBreaker("Payments")
        void pay() {}
    }

    static class MisspeltTimeLimit {

        @TimeLimit("payment")
        void pay() {}
    }

    static class UnlikeAnyBulkhead {

        @Bulkhead("warehouse")
        void pay() {}
    }

    static class MisspeltIdempotency {

        @Idempotent(value = "payment", key = "#order")
        void pay(String order) {}
    }

    static class NamesAPreset {

        @Retryable("external-api")
        void pay() {}
    }

    @Retryable("paymets")
    static class MisspeltOnType {

        public void pay() {}
    }

    static class Placeholder {

        @Retryable("${payments.policy}")
        void pay() {}
    }
}
