package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceRegistry;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** A key that nothing reads is a setting that somebody believes in. */
class UnknownKeysFailTests extends FailingStartup {

    @ParameterizedTest
    @CsvSource({
        "retry, max-atempts, max-attempts",
        "retry, maxAttempt, max-attempts",
        "retry, backoff.base-dely, backoff.base-delay",
        "retry, base-delay, backoff.base-delay",
        "retry, honour-retry-after, honor-retry-after",
        "retry-budget, ratio, max-ratio",
        "circuit-breaker, failure-rate, failure-rate-threshold",
        "circuit-breaker, window.typ, window.type",
        "bulkhead, max-concurent, max-concurrent",
        "time-limit, timout, timeout",
        "idempotency, fingerprints, fingerprint",
        "idempotency, extend, extends"
    })
    void aMisspeltKeyIsAnsweredWithTheNearestOne(String kind, String key, String nearest) {
        fail("""
            resilience:
              %s:
                payments:
                  %s: 5
            """.formatted(kind, key))
                .says("resilience." + kind + ".payments.", "Value: 5", "application.yaml] - 4:")
                .advises("Did you mean '" + nearest + "'");
    }

    @Test
    void aMisspeltKindIsAnsweredWithTheNearestOne() {
        fail("""
            resilience:
              retires:
                payments:
                  max-attempts: 5
            """)
                .blames("resilience.retires.payments.max-attempts", "5", 4)
                .advises("Did you mean 'retry.payments.max-attempts'?");
    }

    @Test
    void aMisspeltGeneralKey() {
        fail("resilience.enable: true").blames("resilience.enable", "true", 1).advises("Did you mean 'enabled'?");
        fail("resilience.idempotency-store.typ: memory")
                .blames("resilience.idempotency-store.typ", "memory", 1)
                .advises("Did you mean 'idempotency-store.type'?");
    }

    @Test
    void aMisspeltKindWithAMisspeltKey() {
        fail("resilience.retires.payments.max-atempts: 5")
                .blames("resilience.retires.payments.max-atempts", "5", 1)
                .advises("Correct or remove the key.");
    }

    @Test
    void somethingThatIsNothingLikeAKey() {
        fail("resilience.retry.payments.colour: blue")
                .blames("resilience.retry.payments.colour", "blue", 1)
                .advises("Correct or remove the key.", "Known are: ", "'max-attempts'");
    }

    @ParameterizedTest
    @CsvSource({"max-attempts, 5", "backoff.base-delay, 5s"})
    void aKeyWhereTheNameOfAPolicyShouldBe(String key, String value) {
        fail("resilience.retry." + key + ": " + value)
                .says("A key stands where the name of a policy should be")
                .blames("resilience.retry." + key, value, 1)
                .advises(
                        "'resilience.retry.<name>." + key + "' for one policy",
                        "'resilience.retry.default." + key + "' for all");
    }

    @Test
    void aValueWhereKeysShouldBe() {
        fail("resilience.retry.payments: 5")
                .says("A value stands where keys should be")
                .blames("resilience.retry.payments", "5", 1)
                .advises("write keys below 'resilience.retry.payments'");
    }

    @Test
    void aValueWherePoliciesShouldBe() {
        fail("resilience.retry: payments")
                .says("A value stands where keys should be")
                .blames("resilience.retry", "payments", 1)
                .advises("write keys below 'resilience.retry'");
    }

    @Test
    void aKeyBelowAKeyThatHasNone() {
        fail("resilience.retry.payments.max-attempts.value: 5")
                .blames("resilience.retry.payments.max-attempts.value", "5", 1);
    }

    @Nested
    class AreToleratedWhereBootToleratesThem {

        @Test
        void inSystemProperties() {
            System.setProperty("resilience.retry.payments.max-atempts", "7");
            System.setProperty("resilience.retires.payments.max-attempts", "7");
            try {
                assertStarts();
            } finally {
                System.clearProperty("resilience.retry.payments.max-atempts");
                System.clearProperty("resilience.retires.payments.max-attempts");
            }
        }

        @Test
        void inEnvironmentVariables() {
            environment(Map.of(
                    "RESILIENCE_RETRY_PAYMENTS_MAXATEMPTS", "7",
                    "RESILIENCE_RETIRES_PAYMENTS_MAXATTEMPTS", "7",
                    "RESILIENCE_RETRY", "7",
                    "RESILIENCE_HOME", "/opt/resilience"));
            assertStarts();
        }

        private void assertStarts() {
            try (ConfigurableApplicationContext context = start("resilience.retry.payments.max-attempts: 5")) {
                Map<String, Retry> retries =
                        context.getBean(ResilienceRegistry.class).retries();
                assertThat(retries).containsOnlyKeys("default", "payments");
                assertThat(retries.get("payments").policy().maxAttempts()).isEqualTo(5);
            }
        }
    }
}
