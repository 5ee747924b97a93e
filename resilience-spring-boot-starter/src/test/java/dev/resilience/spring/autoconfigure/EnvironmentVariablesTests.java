package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.ResilienceProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Environment variables add to every policy, whatever its name. */
class EnvironmentVariablesTests extends FailingStartup {

    @ParameterizedTest
    @CsvSource({
        "[OrderService.place], ORDERSERVICE_PLACE",
        "[payments.v2], PAYMENTS_V2",
        "[Payments API], PAYMENTS_API",
        "[CardPayments], CARDPAYMENTS",
        "[card-payments.v2], CARDPAYMENTS_V2"
    })
    void addToAPolicyWithAnUnusualName(String name, String variable) {
        environment(Map.of(
                "RESILIENCE_RETRY_" + variable + "_MAXATTEMPTS", "7",
                "RESILIENCE_RETRY_" + variable + "_BACKOFF_BASEDELAY", "3s",
                "RESILIENCE_RETRY_" + variable + "_RETRYONSTATUS_0", "500"));
        try (ConfigurableApplicationContext context =
                start("resilience.retry:\n  \"" + name + "\": {max-duration: 9s, max-attempts: 2}")) {
            var policy = context.getBean(ResilienceRegistry.class)
                    .retries()
                    .get(name.substring(1, name.length() - 1))
                    .policy();
            assertThat(policy.maxAttempts()).isEqualTo(7);
            assertThat(policy.maxDuration()).isEqualTo(Duration.ofSeconds(9));
            assertThat(policy.backoff().baseDelay()).isEqualTo(Duration.ofSeconds(3));
            assertThat(policy.retryOnStatus()).containsExactly(500);
            assertThat(warnings(context)).isEmpty();
        }
    }

    @Test
    void nameThePolicyOfAnAnnotationInAnyCase() {
        environment(Map.of("RESILIENCE_RETRY_CARDPAYMENTS_MAXATTEMPTS", "7"));
        try (ConfigurableApplicationContext context = start("", NamesCardPayments.class)) {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "cardpayments"))
                    .containsExactly("NamesCardPayments.pay()");
            assertThat(registry.retries().get("cardpayments").policy().maxAttempts())
                    .isEqualTo(7);
        }
    }

    @Test
    void cannotNameAPolicyOfSeveralWordsAlone() {
        environment(Map.of("RESILIENCE_RETRY_ORDERSERVICE_PLACE_MAXATTEMPTS", "7"));
        fail("", NamesDotted.class)
                .says("the retry policy 'OrderService.place'")
                .advises("configure the policy under 'resilience.retry[OrderService.place]'");
    }

    @Test
    void needAUnitAndANumberForUnusualNamesToo() {
        environment(Map.of(
                "RESILIENCE_RETRY_ORDERSERVICE_PLACE_BACKOFF_BASEDELAY", "5",
                "RESILIENCE_RETRY_ORDERSERVICE_PLACE_MAXATTEMPTS", "many"));
        fail("resilience.retry:\n  \"[OrderService.place]\": {max-duration: 9s}")
                .says("5s or 5ms?", "'many' is not a whole number");
    }

    /** They may be meant for something else. */
    @ParameterizedTest
    @CsvSource({
        "IDEMPOTENCYSTORE, redis",
        "IDEMPOTENCYSTORE_REDIS, ''",
        "IDEMPOTENCYSTORE_REDIS, 5",
        "DEADLINE, 5",
        "REGISTRY, host/x"
    })
    void areNoValuesOfWhatHasKeys(String variable, String value) {
        environment(Map.of("RESILIENCE_" + variable, value));
        try (ConfigurableApplicationContext context = start("")) {
            assertThat(context.getBean(ResilienceRuntime.class).values()).isEqualTo(ResilienceProperties.defaults());
        }
    }

    @Test
    void needAUnitForDurationsToo() {
        environment(Map.of("RESILIENCE_TIMELIMIT_PAYMENTS_TIMEOUT", "10"));
        fail("").says("Value: 10", "RESILIENCE_TIMELIMIT_PAYMENTS_TIMEOUT", "10s or 10ms?");
    }

    @Test
    void systemPropertiesAreWarnedOfToo() {
        System.setProperty("resilience.retry.payments.max-atempts", "7");
        try (ConfigurableApplicationContext context = start("resilience.retry.payments.max-attempts: 5")) {
            assertThat(warnings(context))
                    .singleElement()
                    .asString()
                    .contains("'resilience.retry.payments.max-atempts' has no effect", "Did you mean 'max-attempts'?");
        } finally {
            System.clearProperty("resilience.retry.payments.max-atempts");
        }
    }

    @Test
    void whatBeginsAlmostLikeOursIsWarnedOf() {
        try (ConfigurableApplicationContext context = start("""
            resiliance.retry.payments.max-attempts: 5
            resilience4j.retry.instances.payments.max-attempts: 5
            residence.payments.max-attempts: 5
            """)) {
            assertThat(warnings(context))
                    .filteredOn(warning -> !warning.contains("'resilience4j'"))
                    .containsExactly(
                            "The property 'resiliance.retry.payments.max-attempts' has no effect. Did you mean "
                                    + "'resilience.retry.payments.max-attempts'? [key-without-effect] (docs/warnings.md#key-without-effect)");
        }
    }

    private static List<String> warnings(ConfigurableApplicationContext context) {
        return context.getBean(StartupWarnings.class).all();
    }

    static class NamesCardPayments {

        @Retryable("cardPayments")
        void pay() {}
    }

    static class NamesDotted {

        @Retryable("OrderService.place")
        void pay() {}
    }
}
