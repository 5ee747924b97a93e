package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Environment variables reach every policy, or the log says that they do not. */
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
                .advises(
                        "The environment variable 'RESILIENCE_RETRY_ORDERSERVICE_PLACE_MAXATTEMPTS' cannot name it",
                        "\"[OrderService.place]\": {}");
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
            assertThat(context.getBean(CheckedProperties.class).written()).isEqualTo(ResilienceProperties.defaults());
        }
    }

    @Test
    void needAUnitForDurationsToo() {
        environment(Map.of("RESILIENCE_TIMELIMIT_PAYMENTS_TIMEOUT", "10"));
        fail("").says("Value: 10", "RESILIENCE_TIMELIMIT_PAYMENTS_TIMEOUT", "10s or 10ms?");
    }

    @ParameterizedTest
    @CsvSource({
        "RESILIENCE_RETRY_PAYMENTS_MAXATEMPTS, RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS",
        "RESILIENCE_RETRY_CARDPAYMENTS_MAX_ATTEMPTS, RESILIENCE_RETRY_CARDPAYMENTS_MAXATTEMPTS",
        "RESILIENCE_RETIRES_PAYMENTS_MAXATTEMPTS, RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS",
        "RESILIENCE_CIRCUIT_BREAKER_PAYMENTS_FAILURE_TRESHOLD, RESILIENCE_CIRCUITBREAKER_PAYMENTS_FAILURETHRESHOLD"
    })
    void areWarnedOfIfTheyReachNothing(String variable, String right) {
        environment(Map.of(variable, "7"));
        try (ConfigurableApplicationContext context = start("""
            resilience:
              retry: {payments: {}, card-payments: {}}
              circuit-breaker.payments: {}
            """)) {
            assertThat(warnings(context))
                    .containsExactly(
                            "The environment variable '" + variable + "' has no effect. Did you mean '" + right + "'?");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RESILIENCE_HOME",
                "RESILIENCE_RETRY_PAYMENTS_MAXATTEMPTS",
                "RESILIENCE_RETRY_PAYMENTS_MAX_ATTEMPTS",
                "RESILIENCE_RETRY_INVOICES_MAX_ATTEMPTS",
                "RESILIENCE_RETRY_CARD_PAYMENTS_MAX_ATTEMPTS",
                "RESILIENCE_RETRY_BUDGET_DEFAULT_MIN_RETRIES_PER_SECOND",
                "RESILIENCE_RETRYBUDGET_DEFAULT_MINRETRIESPERSECOND",
                "RESILIENCE_RETRY_PAYMENTS_RETRYONSTATUS_0",
                "RESILIENCE_RETRY_PAYMENTS_RETRYONSTATUS_0_",
                "RESILIENCE_ADVICEORDER"
            })
    void areNotWarnedOfIfTheyReachSomethingOrAreNotOurs(String variable) {
        environment(Map.of(variable, "500"));
        try (ConfigurableApplicationContext context = start("resilience.retry: {payments: {}, card-payments: {}}")) {
            assertThat(warnings(context)).isEmpty();
        }
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
