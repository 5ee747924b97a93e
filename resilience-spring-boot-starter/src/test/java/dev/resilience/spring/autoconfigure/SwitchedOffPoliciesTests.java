package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.Callee;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.log.CapturedLines;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** {@code enabled: false} of a policy. */
class SwitchedOffPoliciesTests {

    @TempDir
    Path directory;

    @Test
    void aRetryIsNotMade() {
        run(
                "resilience.retry.payments.enabled: false",
                context -> assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::pay))
                        .isEqualTo(1));
    }

    @Test
    void anotherPolicyOfTheKindStillWorks() {
        run(
                "resilience.retry.other.enabled: false",
                context -> assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::pay))
                        .isEqualTo(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency", "bulkhead", "circuit-breaker", "time-limit"})
    void noKindCountsACall(String kind) {
        run("resilience." + kind + ".default.enabled: false", context -> {
            Shop shop = context.getBean(Shop.class);
            shop.all("key");
            shop.all("key");

            ResilienceEndpoint endpoint = context.getBean(ResilienceEndpoint.class);
            assertThat(endpoint.policy(kind, "default", null).get("state").toString())
                    .doesNotMatch(".*calls=\\{[^}]*=[1-9].*");
            assertThat(endpoint.policy("retry", "payments", null).get("state").toString())
                    .matches(".*calls=\\{[^}]*=[1-9].*");
        });
    }

    @Test
    void aMethodThatIsNotIdempotentAnyMoreRunsAgain() {
        run("resilience.idempotency.default.enabled: false", context -> {
            context.getBean(Shop.class).all("key");
            context.getBean(Shop.class).all("key");
            assertThat(context.getBean(Callee.class).calls()).isEqualTo(2);
        });
    }

    @Test
    void aFallbackAnswersStill() {
        run("resilience.retry.payments.enabled: false", context -> {
            context.getBean(Callee.class).failNext(1);
            assertThat(context.getBean(Shop.class).look()).isEqualTo("nothing");
        });
    }

    @Test
    void aPolicyOfAnAnnotationIsSwitchedOffByItsName() {
        run(
                """
            resilience.retry:
              "[Shop.values]":
                enabled: false
            """,
                context -> assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::values))
                        .isEqualTo(1));
    }

    @Test
    void itIsInheritedLikeEveryKey() {
        run("""
            resilience.retry.default.enabled: false
            resilience.retry.payments.enabled: true
            """, context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::values)).isEqualTo(1);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::pay)).isEqualTo(2);
        });
    }

    @Test
    @SuppressWarnings("unchecked")
    void theEndpointShowsItAndWhoWouldUseThePolicy() {
        run("resilience.retry.payments.enabled: false", context -> {
            Map<String, Object> entry =
                    context.getBean(ResilienceEndpoint.class).policy("retry", "payments", null);
            assertThat((Map<String, Object>) entry.get("policy")).containsEntry("enabled", false);
            assertThat(entry.get("usedBy")).asString().contains("Shop.pay()");
            assertThat((Map<String, Object>) context.getBean(ResilienceEndpoint.class)
                            .policy("retry", "default", null)
                            .get("policy"))
                    .doesNotContainKey("enabled");
        });
    }

    @Test
    void aLineAtStartupSaysSo() {
        try (CapturedLines lines = CapturedLines.of(DefaultResilienceRegistry.class)) {
            run("resilience.retry.payments.enabled: false", context -> {
                ILoggingEvent line = lines.single();
                assertThat(line.getLevel()).isEqualTo(Level.INFO);
                assertThat(line.getFormattedMessage())
                        .contains("retry policy 'payments'", "resilience.retry.payments.enabled");
                assertThat(CapturedLines.event(line)).isEqualTo("policy_switched_off");
            });
        }
    }

    @Test
    void aRetryBudgetHasNoSuchKey() {
        runner("resilience.retry-budget.payments.enabled: false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("resilience.retry-budget.payments.enabled"));
    }

    @Test
    void whatIsNeitherTrueNorFalseIsRefused() {
        runner("resilience.retry.payments.enabled: maybe")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("Property: resilience.retry.payments.enabled")
                        .hasMessageContaining("'maybe' is neither true nor false"));
    }

    private void run(String yaml, ContextConsumer<AssertableApplicationContext> check) {
        runner(yaml).run(context -> {
            assertThat(context).hasNotFailed();
            check.accept(context);
        });
    }

    private ApplicationContextRunner runner(String yaml) {
        return YamlApplication.of(directory, yaml + "\nresilience.retry.other.max-attempts: 3\n")
                .withConfiguration(SortedOnce.of(ResilienceActuatorAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        "resilience.retry.payments.max-attempts=2",
                        "resilience.idempotency-store.type=memory")
                .withBean(ManualTimeSource.class)
                .withBean(Callee.class)
                .withBean(Shop.class);
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("payments")
        public String pay() throws ConnectException {
            return callee.call();
        }

        @Retryable("payments")
        @Idempotent(key = "#key")
        @Bulkhead
        @CircuitBreaker
        @TimeLimit
        public String all(String key) throws ConnectException {
            return callee.call();
        }

        @Retryable(maxAttempts = 4)
        public String values() throws ConnectException {
            return callee.call();
        }

        @Retryable("payments")
        @Fallback("nothing")
        public String look() throws ConnectException {
            return callee.call();
        }

        String nothing() {
            return "nothing";
        }
    }
}
