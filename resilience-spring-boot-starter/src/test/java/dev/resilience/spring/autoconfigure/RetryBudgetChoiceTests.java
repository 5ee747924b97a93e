package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.spring.ResilienceRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which budget a retry policy draws from. */
class RetryBudgetChoiceTests {

    @TempDir
    Path directory;

    private ResilienceRegistry registry(String yaml) {
        return YamlApplication.registry(directory, yaml);
    }

    @Test
    void itsOwnWithTheValuesOfTheDefault() {
        ResilienceRegistry registry = registry("""
            resilience:
              retry-budget.default: {max-ratio: 0.3, min-retries-per-second: 1}
              retry: {payments: {}, invoices: {}}
            """);
        assertThat(registry.retryBudgets()).containsOnlyKeys("default", "invoices", "payments");
        assertThat(registry.retries().get("payments").budget())
                .isSameAs(registry.retryBudgets().get("payments"))
                .isNotSameAs(registry.retries().get("invoices").budget());
        assertThat(registry.retryBudgets().get("payments").policy())
                .isEqualTo(RetryBudgetPolicy.builder()
                        .maxRatio(0.3)
                        .minRetriesPerSecond(1)
                        .build());
    }

    @Test
    void itsOwnWithValuesOfItsOwn() {
        ResilienceRegistry registry = registry("""
            resilience:
              retry-budget.payments.max-ratio: 0.5
              retry.payments.max-attempts: 2
            """);
        assertThat(registry.retries().get("payments").budget())
                .isSameAs(registry.retryBudgets().get("payments"));
        assertThat(registry.retryBudgets().get("payments").policy().maxRatio()).isEqualTo(0.5);
    }

    @Test
    void aSharedOne() {
        ResilienceRegistry registry = registry("""
            resilience:
              retry-budget.remote.max-ratio: 0.5
              retry:
                payments: {budget: remote}
                invoices: {budget: remote}
            """);
        assertThat(registry.retryBudgets()).containsOnlyKeys("default", "remote");
        assertThat(registry.retries().get("payments").budget())
                .isSameAs(registry.retries().get("invoices").budget())
                .isSameAs(registry.retryBudgets().get("remote"));
    }

    @Test
    void anotherPolicysOwn() {
        ResilienceRegistry registry = registry("""
            resilience.retry:
              payments: {max-attempts: 2}
              invoices: {budget: payments}
            """);
        assertThat(registry.retries().get("invoices").budget())
                .isSameAs(registry.retries().get("payments").budget());
    }

    @Test
    void none() {
        ResilienceRegistry registry = registry("resilience.retry.payments.budget: none");
        assertThat(registry.retryBudgets()).containsOnlyKeys("default");
        assertThat(registry.retries().get("payments").budget()).isNull();
    }

    @Test
    void theOneThatIsInherited() {
        ResilienceRegistry registry = registry("""
            resilience.retry:
              default: {budget: none}
              payments: {max-attempts: 2}
            """);
        assertThat(registry.retries().get("payments").budget()).isNull();
    }
}
