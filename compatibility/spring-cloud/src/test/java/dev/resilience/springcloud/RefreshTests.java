package dev.resilience.springcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.resilience.annotation.Retryable;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyChanged;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;

/** When Spring Cloud has refreshed the environment, policies follow it. */
@ExtendWith(OutputCaptureExtension.class)
class RefreshTests {

    private final Map<String, Object> values = new HashMap<>(Map.of(
            "resilience.bulkhead.orders.max-concurrent", 5,
            "resilience.bulkhead.orders.max-queue", 7,
            "resilience.retry.orders.max-attempts", 4));

    private final ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
            .initializers(context -> context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("config server", values)))
            .properties(
                    "spring.main.web-application-type=none",
                    "spring.main.banner-mode=off",
                    "spring.cloud.gateway.server.webflux.enabled=false")
            .run();
    private final ResilienceRegistry registry = application.getBean(ResilienceRegistry.class);
    private final List<PolicyChanged> changed = new ArrayList<>();
    private final List<PolicyAdded> added = new ArrayList<>();

    RefreshTests() {
        registry.onEvent(PolicyChanged.class, changed::add).onEvent(PolicyAdded.class, added::add);
    }

    @AfterEach
    void close() {
        application.close();
    }

    @Test
    void changedPropertiesChangeTheirPolicies() {
        refresh(Map.of("resilience.bulkhead.orders.max-concurrent", 9));

        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(9);
        assertThat(bulkhead("orders").policy().maxQueue()).isEqualTo(7);
        assertThat(changed).singleElement().satisfies(event -> {
            assertThat(event.by()).isEqualTo("refresh");
            assertThat(event.changed()).isEqualTo(Map.of("max-concurrent", "9"));
        });
    }

    @Test
    void whatPoliciesStartFromChangesThemToo() {
        refresh(Map.of(
                "resilience.bulkhead.default.queue-timeout", "3s", "resilience.retry.default.max-duration", "1m"));

        assertThat(bulkhead("orders").policy().queueTimeout()).hasSeconds(3);
        assertThat(bulkhead("default").policy().queueTimeout()).hasSeconds(3);
        assertThat(registry.retry("orders").policy().maxDuration()).hasMinutes(1);
    }

    @Test
    void newNamesBecomeKnown() {
        refresh(Map.of("resilience.bulkhead.invoices.max-concurrent", 2));

        assertThat(bulkhead("invoices").policy().maxConcurrent()).isEqualTo(2);
        assertThat(added).extracting(PolicyAdded::name).containsExactly("invoices");
        refresh(Map.of("resilience.bulkhead.invoices.max-concurrent", 3));
        assertThat(bulkhead("invoices").policy().maxConcurrent()).isEqualTo(3);
    }

    @Test
    void wrongValuesLeaveEverythingAsItWas(CapturedOutput output) {
        refresh(Map.of(
                "resilience.bulkhead.orders.max-concurrent", 9,
                "resilience.retry.orders.max-attempts", 0,
                "resilience.bulkhead.orders.max-kueue", 1));

        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(5);
        assertThat(registry.retry("orders").policy().maxAttempts()).isEqualTo(4);
        assertThat(output)
                .contains("All policies stay as they were")
                .contains("resilience.retry.orders.max-attempts")
                .contains("max-kueue");
        values.remove("resilience.bulkhead.orders.max-kueue");
        refresh(Map.of("resilience.retry.orders.max-attempts", 6));
        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(9);
        assertThat(registry.retry("orders").policy().maxAttempts()).isEqualTo(6);
    }

    @Test
    void whatWasChangedByHandStaysUntilItsOwnKeyIsConfiguredOtherwise() {
        registry.reconfigure(Bulkhead.class, "orders", Map.of("max-concurrent", 3, "max-queue", 1));

        refresh(Map.of("resilience.bulkhead.orders.max-concurrent", 9));

        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(9);
        assertThat(bulkhead("orders").policy().maxQueue()).isEqualTo(1);
    }

    @Test
    void aNameThatIsGoneKeepsItsValues() {
        values.remove("resilience.bulkhead.orders.max-concurrent");
        values.remove("resilience.bulkhead.orders.max-queue");
        refresh(Map.of());

        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(5);
    }

    @Test
    void aKeyThatIsGoneHasTheValueThatThePolicyStartsFrom() {
        values.remove("resilience.bulkhead.orders.max-queue");
        refresh(Map.of());

        assertThat(bulkhead("orders").policy().maxQueue()).isEqualTo(50);
    }

    @Test
    void whatNeedsARestartIsRefusedAndTheOthersChange(CapturedOutput output) {
        refresh(Map.of("resilience.retry.orders.budget", "none", "resilience.bulkhead.orders.max-concurrent", 9));

        assertThat(bulkhead("orders").policy().maxConcurrent()).isEqualTo(9);
        assertThat(registry.retry("orders").policy().budget()).isNull();
        assertThat(output)
                .contains("The retry policy 'orders' is not as it is configured now")
                .contains("budget");
    }

    @Test
    void newPoliciesMayNameEachOther(CapturedOutput output) {
        refresh(Map.of(
                "resilience.http-client.bank.hosts", "bank.example",
                "resilience.http-client.bank.retry", "careful",
                "resilience.retry.careful.max-attempts", 2,
                "resilience.retry.careful.budget", "small",
                "resilience.retry-budget.small.max-ratio", 0.1));

        assertThat(added)
                .extracting(PolicyAdded::kind, PolicyAdded::name)
                .containsExactly(
                        tuple("retry-budget", "small"), tuple("retry", "careful"), tuple("http-client", "bank"));
        assertThat(registry.retry("careful").budget()).isSameAs(registry.retryBudget("small"));
        assertThat(output).doesNotContain("not as it is configured now");
    }

    @Test
    void aNewPolicyThatCannotBeIsReportedAndIsNotThere(CapturedOutput output) {
        refresh(Map.of("resilience.retry.careful.budget", "unknown"));

        assertThat(registry.find(Retry.class, "careful")).isEmpty();
        assertThat(added).isEmpty();
        assertThat(output).contains("names the budget 'unknown'");
    }

    @Test
    void switchingOffNeedsARestart(CapturedOutput output) {
        refresh(Map.of("resilience.retry.orders.enabled", false));

        assertThat(output)
                .contains("The retry policy 'orders' is not as it is configured now")
                .contains("enabled");
    }

    @Test
    void aRefreshTakesThePlaceOfAChangeByHandAndASecondOneDoesNothing() {
        registry.reconfigure(Bulkhead.class, "orders", Map.of("max-queue", 1));
        refresh(Map.of("resilience.bulkhead.orders.max-queue", 8));

        assertThat(bulkhead("orders").policy().maxQueue()).isEqualTo(8);
        refresh(Map.of("resilience.bulkhead.orders.max-queue", 8, "else", 1));
        assertThat(changed).extracting(PolicyChanged::by).containsExactly("code", "refresh");
    }

    @Test
    void aRefreshThatChangesNothingOfOursIsNotReported() {
        refresh(Map.of("something.else", 1));

        assertThat(changed).isEmpty();
        assertThat(added).isEmpty();
    }

    @Test
    void methodsRunUnderTheRefreshedPolicy() {
        Shop shop = application.getBean(Shop.class);
        refresh(Map.of("resilience.retry.orders.max-attempts", 2, "resilience.retry.orders.backoff.base-delay", "0"));

        try {
            shop.order();
        } catch (IllegalStateException down) {
            // that is the point
        }

        assertThat(shop.calls()).isEqualTo(2);
        assertThat(registry.find(Retry.class, "orders")).isPresent();
    }

    private Bulkhead bulkhead(String name) {
        return registry.bulkhead(name);
    }

    private void refresh(Map<String, Object> changes) {
        values.putAll(changes);
        application.publishEvent(new EnvironmentChangeEvent(application, changes.keySet()));
    }

    static class Shop {

        private int calls;

        int calls() {
            return calls;
        }

        @Retryable(value = "orders", retryUnknown = true)
        public void order() {
            calls++;
            throw new IllegalStateException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(ResilienceAutoConfiguration.class)
    @Import(Shop.class)
    static class Application {}
}
