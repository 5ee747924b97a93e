package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.retry.Retry;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How names and keys may be written, and what is one name. */
class PolicyNamesTests {

    @TempDir
    Path directory;

    private Map<String, Retry> retries(String yaml) {
        return YamlApplication.registry(directory, yaml).retries();
    }

    private ResilienceRegistry withVariables(String yaml, Map<String, Object> variables) {
        return YamlApplication.registry(directory, yaml, variables);
    }

    private static int attempts(Map<String, Retry> retries, String name) {
        return retries.get(name).policy().maxAttempts();
    }

    @ParameterizedTest
    @ValueSource(strings = {"max-attempts", "maxAttempts", "max_attempts", "MAX_ATTEMPTS"})
    void keysMayBeWrittenInEveryRelaxedForm(String key) {
        assertThat(attempts(retries("resilience.retry.payments." + key + ": 5"), "payments"))
                .isEqualTo(5);
    }

    @Test
    void nestedKeysMayBeWrittenInRelaxedForms() {
        assertThat(retries("resilience.retry.payments.backoff.baseDelay: 3s")
                        .get("payments")
                        .policy()
                        .backoff()
                        .baseDelay())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void kindsMayBeWrittenInRelaxedForms() {
        ResilienceRegistry registry =
                YamlApplication.registry(directory, "resilience.circuitBreaker.payments.failureThreshold: 2");
        assertThat(registry.circuitBreakers().get("payments").policy().failureThreshold())
                .isEqualTo(2);
    }

    @Nested
    class NamesInBrackets {

        @Test
        void mayHaveDotsCapitalsAndSpaces() {
            Map<String, Retry> retries = retries("""
                resilience.retry:
                  "[payments.v2]": {max-attempts: 5}
                  "[Payments API]": {max-attempts: 6, backoff: {base-delay: 2s}}
                  "[payments.v3]": {extends: payments.v2}
                """);
            assertThat(retries).containsOnlyKeys("default", "payments.v2", "Payments API", "payments.v3");
            assertThat(attempts(retries, "payments.v2")).isEqualTo(5);
            assertThat(attempts(retries, "payments.v3")).isEqualTo(5);
            assertThat(retries.get("Payments API").policy().backoff().baseDelay())
                    .isEqualTo(Duration.ofSeconds(2));
        }

        @Test
        void areFoundByAnnotations() {
            YamlApplication.of(directory, "resilience.retry.[payments.v2].max-attempts: 5")
                    .withBean(DottedName.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "payments.v2"))
                                .containsExactly("DottedName.pay()");
                    });
        }
    }

    @Nested
    class NamesInOtherCases {

        @Test
        void keepTheirSpelling() {
            Map<String, Retry> retries = retries("""
                resilience.retry:
                  cardPayments: {max-attempts: 5}
                  invoices_v2: {max-attempts: 6}
                  reports: {extends: cardPayments}
                """);
            assertThat(retries).containsOnlyKeys("default", "cardPayments", "invoices_v2", "reports");
            assertThat(attempts(retries, "cardPayments")).isEqualTo(5);
            assertThat(attempts(retries, "invoices_v2")).isEqualTo(6);
            assertThat(attempts(retries, "reports")).isEqualTo(5);
        }
    }

    @Nested
    class EnvironmentVariables {

        @Test
        void addToAPolicyWithDashesInItsName() {
            Map<String, Retry> retries = withVariables(
                            "resilience.retry.card-payments.max-duration: 9s",
                            Map.of("RESILIENCE_RETRY_CARDPAYMENTS_MAXATTEMPTS", "7"))
                    .retries();
            assertThat(retries).containsOnlyKeys("default", "card-payments");
            assertThat(attempts(retries, "card-payments")).isEqualTo(7);
            assertThat(retries.get("card-payments").policy().maxDuration()).isEqualTo(Duration.ofSeconds(9));
        }

        @Test
        void addToAPolicyWithCapitalsInItsName() {
            Map<String, Retry> retries = withVariables(
                            "resilience.retry.cardPayments.max-duration: 9s",
                            Map.of("RESILIENCE_RETRY_CARDPAYMENTS_MAXATTEMPTS", "7"))
                    .retries();
            assertThat(retries).containsOnlyKeys("default", "cardPayments");
            assertThat(attempts(retries, "cardPayments")).isEqualTo(7);
        }

        @Test
        void mayWriteUnderscoresForDashes() {
            Map<String, Retry> retries = withVariables(
                            "resilience.retry.card-payments.max-duration: 9s",
                            Map.of("RESILIENCE_RETRY_CARD_PAYMENTS_MAX_ATTEMPTS", "7"))
                    .retries();
            assertThat(retries).containsOnlyKeys("default", "card-payments");
            assertThat(attempts(retries, "card-payments")).isEqualTo(7);
        }

        @Test
        void addListElements() {
            Map<String, Retry> retries = withVariables(
                            "resilience.retry.payments.max-duration: 9s",
                            Map.of(
                                    "RESILIENCE_RETRY_PAYMENTS_RETRYONSTATUS_0", "500",
                                    "RESILIENCE_RETRY_PAYMENTS_RETRYONSTATUS_1", "501"))
                    .retries();
            assertThat(retries).containsOnlyKeys("default", "payments");
            assertThat(retries.get("payments").policy().retryOnStatus()).containsExactlyInAnyOrder(500, 501);
        }

        @Test
        void mayNameAPolicyOfTheirOwn() {
            Map<String, Retry> retries = withVariables(
                            "",
                            Map.of(
                                    "RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS", "7",
                                    "RESILIENCE_RETRY_INVOICES_MAX_ATTEMPTS", "8"))
                    .retries();
            assertThat(retries).containsOnlyKeys("default", "invoices", "payments");
            assertThat(attempts(retries, "payments")).isEqualTo(7);
            assertThat(attempts(retries, "invoices")).isEqualTo(8);
        }

        @Test
        void ofOneKindNameNothingInAnother() {
            ResilienceRegistry registry = withVariables(
                    "",
                    Map.of(
                            "RESILIENCE_RETRY_BUDGET_DEFAULT_MAX_RATIO", "0.3",
                            "RESILIENCE_RETRYBUDGET_DEFAULT_WINDOW", "20s",
                            "RESILIENCE_IDEMPOTENCY_STORE_TYPE", "memory",
                            "RESILIENCE_RETRY_SOMETHING_ELSE", "7"));
            assertThat(registry.retries()).containsOnlyKeys("default");
            assertThat(registry.idempotencies()).containsOnlyKeys("default");
            assertThat(registry.retryBudgets()).containsOnlyKeys("default");
            assertThat(registry.retryBudgets().get("default").policy().maxRatio())
                    .isEqualTo(0.3);
            assertThat(registry.retryBudgets().get("default").policy().window()).isEqualTo(Duration.ofSeconds(20));
        }
    }

    static class DottedName {

        @Retryable("payments.v2")
        void pay() {}
    }
}
