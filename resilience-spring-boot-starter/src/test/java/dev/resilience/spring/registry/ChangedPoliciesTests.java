package dev.resilience.spring.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.event.PolicyChanged;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.properties.PolicyChange;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ChangedPoliciesTests {

    @Test
    void aPolicyObjectHoldsForCallsFromNowOn() {
        with(registry -> {
            BulkheadPolicy changed = BulkheadPolicy.builder().maxConcurrent(3).build();

            assertThat(registry.reconfigure(Bulkhead.class, "gateway", changed)).isSameAs(registry.bulkhead("gateway"));

            assertThat(registry.bulkhead("gateway").policy()).isEqualTo(changed);
            assertThat(registry.bulkhead("default").policy().maxConcurrent()).isEqualTo(10);
        });
    }

    @Test
    void keysChangeAloneAndAreReadAsInYaml() {
        with(registry -> {
            registry.reconfigure(Bulkhead.class, "gateway", Map.of("maxConcurrent", "3", "queue-timeout", "2s"));

            BulkheadPolicy policy = registry.bulkhead("gateway").policy();
            assertThat(policy.maxConcurrent()).isEqualTo(3);
            assertThat(policy.queueTimeout()).hasSeconds(2);
            assertThat(policy.maxQueue()).isEqualTo(5); // as it is configured
        });
    }

    @Test
    void theNameMayBeThatOfAMethod() {
        with(registry -> {
            registry.reconfigure(TimeLimit.class, "OrderService.place", Map.of("timeout", "1s"));

            assertThat(registry.timeLimit("OrderService.place").policy().timeout())
                    .hasSeconds(1);
        });
    }

    @Test
    void theEventAndTheLogTellWhatChanged(CapturedOutput output) {
        with(registry -> {
            List<PolicyChanged> heard = new ArrayList<>();
            registry.onEvent(PolicyChanged.class, heard::add);

            registry.reconfigure(Bulkhead.class, "gateway", Map.of("max-concurrent", 3, "max-queue", 5));

            assertThat(heard)
                    .containsExactly(new PolicyChanged(
                            new ManualTimeSource().now(),
                            "bulkhead",
                            "gateway",
                            "code",
                            Map.of("max-concurrent", "3")));
            assertThat(output)
                    .contains(
                            "The bulkhead policy 'gateway' was changed by code until the next restart: {max-concurrent=3}");
        });
    }

    @Test
    void whatStaysTheSameIsNoEvent() {
        with(registry -> {
            List<PolicyChanged> heard = new ArrayList<>();
            registry.onEvent(PolicyChanged.class, heard::add);

            registry.reconfigure(Bulkhead.class, "gateway", Map.of("max-queue", 5));
            registry.reconfigure(Bulkhead.class, "gateway", Map.of());

            assertThat(heard).isEmpty();
        });
    }

    @Test
    void allProblemsAreReportedTogetherAndChangeNothing() {
        with(registry -> {
            assertThatExceptionOfType(ResilienceConfigurationException.class)
                    .isThrownBy(() -> registry.reconfigure(
                            Bulkhead.class,
                            "gateway",
                            Map.of(
                                    "max-concurent",
                                    3,
                                    "max-queue",
                                    -1,
                                    "queue-timeout",
                                    "5",
                                    "type",
                                    List.of("semaphore"))))
                    .withMessageContainingAll(
                            "The bulkhead policy 'gateway' has no key 'max-concurent'",
                            "Property: resilience.bulkhead.gateway.max-queue",
                            "Origin: changed by code while the application runs",
                            "it must be at least 0",
                            "it has no unit",
                            "The key 'type' of the bulkhead policy 'gateway' has a list")
                    .satisfies(failure -> assertThat(failure.action()).contains("Did you mean 'max-concurrent' or"));
            assertThat(registry.bulkhead("gateway").policy().maxConcurrent()).isEqualTo(10);
        });
    }

    @Test
    void anEmptyValueIsRefused() {
        with(registry -> assertThatThrownBy(() -> registry.reconfigure(
                        Bulkhead.class, "gateway", java.util.Collections.singletonMap("max-queue", null)))
                .isInstanceOf(ResilienceConfigurationException.class)
                .hasMessageContaining("it has no value"));
        with(registry -> assertThatThrownBy(
                        () -> registry.reconfigure(Bulkhead.class, "gateway", Map.of("max-queue", Map.of())))
                .isInstanceOf(ResilienceConfigurationException.class)
                .hasMessageContaining("it has no value"));
        with(registry -> assertThatThrownBy(() -> registry.reconfigure(
                        Retry.class, "four", Map.of("retry-on", java.util.Collections.singletonList(null))))
                .isInstanceOf(ResilienceConfigurationException.class)
                .hasMessageContaining("resilience.retry.four.retry-on"));
    }

    @Test
    void whatIsLookedAtAtStartupOnlyIsRefused() {
        with(registry -> {
            assertThatThrownBy(() -> registry.reconfigure(Retry.class, "four", Map.of("budget", "none")))
                    .isInstanceOf(InvalidPolicyException.class)
                    .hasMessageContaining("budget = none: cannot change while the application runs");
            assertThatThrownBy(() -> registry.reconfigure(Idempotency.class, "default", Map.of("scope", "none")))
                    .isInstanceOf(InvalidPolicyException.class)
                    .hasMessageContaining("scope = NONE: cannot change while the application runs");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry-if", "retryIf", "backoff.function", "enabled", "extends"})
    void aKeyThatIsNoPartOfThePolicyIsRefusedAsOneOfTheStartup(String key) {
        with(registry -> assertThatExceptionOfType(ResilienceConfigurationException.class)
                .isThrownBy(() -> registry.reconfigure(Retry.class, "four", Map.of(key, "none")))
                .withMessageContaining(
                        "of the retry policy 'four' cannot change while the application runs, because it is read at startup")
                .satisfies(failure -> assertThat(failure.action()).contains("restart")));
    }

    @Test
    void aRuleForResultsChanges() {
        with(registry -> {
            Retry retry = registry.reconfigure(Retry.class, "four", Map.of("retry-on-result", "#result == 7"));

            assertThat(retry.asksForRetry(7)).isTrue();
            assertThat(retry.asksForRetry(8)).isFalse();
            assertThatThrownBy(() -> registry.reconfigure(Retry.class, "four", Map.of("retry-on-result", "7 == 7")))
                    .isInstanceOf(ResilienceConfigurationException.class)
                    .hasMessageContaining("it names no variable");
        });
    }

    @Test
    void aKeyThatIsGivenTwiceIsRefused() {
        with(registry -> assertThatExceptionOfType(ResilienceConfigurationException.class)
                .isThrownBy(() -> registry.reconfigure(
                        Retry.class, "four", new TreeMap<>(Map.of("max-attempts", 3, "maxAttempts", 5))))
                .withMessageContaining("of the retry policy 'four' is given twice"));
    }

    @Test
    void aNumberIsNotCutOff() {
        with(registry -> {
            assertThatThrownBy(() -> registry.reconfigure(Retry.class, "four", Map.of("max-attempts", 2.5)))
                    .isInstanceOf(ResilienceConfigurationException.class)
                    .hasMessageContaining("'2.5' is not a whole number");
            assertThatThrownBy(() ->
                            registry.reconfigure(Retry.class, "four", Map.of("retry-on-status", List.of(503, 500.5))))
                    .isInstanceOf(ResilienceConfigurationException.class)
                    .hasMessageContaining("'500.5' is not a whole number");
        });
    }

    @Test
    void nestedKeysAndListsAreReadAsInYaml() {
        RetryPolicy changed = PolicyChange.apply(
                new RetryKind(),
                "four",
                RetryPolicy.builder()
                        .maxAttempts(4)
                        .retryOn(List.of(IllegalStateException.class))
                        .build(),
                Map.of(
                        "backoff", Map.of("base-delay", "2s", "max-delay", "20s"),
                        "backoff.multiplier", 3,
                        "retry-on", List.of("java.io.IOException"),
                        "retry-on-status", List.of()),
                "test");

        assertThat(changed.maxAttempts()).isEqualTo(4);
        assertThat(changed.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changed.backoff().maxDelay()).isEqualTo(Duration.ofSeconds(20));
        assertThat(changed.backoff().multiplier()).isEqualTo(3);
        assertThat(changed.retryOn()).isEqualTo(List.of(IOException.class));
        assertThat(changed.retryOnStatus()).isEmpty();
    }

    private static void with(Use use) {
        Applications.plain()
                .withPropertyValues(
                        "resilience.bulkhead.gateway.max-queue=5",
                        "resilience.time-limit[OrderService.place].timeout=9s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(context.getBean(ResilienceRegistry.class));
                });
    }

    private interface Use {

        void with(ResilienceRegistry registry);
    }
}
