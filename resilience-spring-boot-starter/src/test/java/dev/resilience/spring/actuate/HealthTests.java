package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class HealthTests {

    @Test
    void showsEveryCircuitBreakerWithItsState() {
        runner().run(context -> {
            context.getBean(ResilienceRegistry.class)
                    .circuitBreakers()
                    .get("optional")
                    .disable();

            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            assertThat(health(context).getDetails())
                    .containsEntry("optional", "DISABLED")
                    .containsEntry("vital", "CLOSED")
                    .hasSize(2);
        });
    }

    @Test
    void showsTheDefaultOnceAMethodUsesIt() {
        runner().withConfiguration(SortedOnce.of(AopAutoConfiguration.class))
                .withBean(Shop.class)
                .withPropertyValues(
                        "resilience.circuit-breaker.default.initial-state=open",
                        "resilience.circuit-breaker.default.health=down")
                .run(context -> {
                    assertThat(health(context).getDetails()).containsEntry("default", "OPEN");
                    assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                });
    }

    @Test
    void isNotDownForADefaultThatNoMethodUses() {
        runner().withPropertyValues(
                        "resilience.circuit-breaker.default.initial-state=open",
                        "resilience.circuit-breaker.default.health=down",
                        "resilience.circuit-breaker.vital.initial-state=closed",
                        "resilience.circuit-breaker.optional.initial-state=closed")
                .run(context -> {
                    assertThat(health(context).getDetails()).doesNotContainKey("default");
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                });
    }

    @Test
    void isNotDownForOneThatOnlyCountsItsRefusals() {
        runner().withPropertyValues(
                        "resilience.circuit-breaker.vital.initial-state=open",
                        "resilience.circuit-breaker.vital.health=down",
                        "resilience.circuit-breaker.vital.enforce=0")
                .run(context -> {
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(health(context).getDetails()).containsEntry("vital", "OPEN");
                });
    }

    @Test
    void ignoresAnOpenCircuitBreakerByDefault() {
        runner().withPropertyValues("resilience.circuit-breaker.optional.initial-state=open")
                .run(context -> {
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(health(context).getDetails()).containsEntry("optional", "OPEN");
                });
    }

    @ParameterizedTest
    @CsvSource({"open, DOWN", "forced-open, DOWN", "closed, UP", "disabled, UP", "metrics-only, UP"})
    void followsACircuitBreakerWhosePolicySaysSo(String state, String status) {
        runner().withPropertyValues("resilience.circuit-breaker.vital.initial-state=" + state)
                .run(context ->
                        assertThat(health(context).getStatus().getCode()).isEqualTo(status));
    }

    @Test
    void staysDownWhateverTheOtherCircuitBreakersAre() {
        runner().withPropertyValues("resilience.circuit-breaker.a.health=down")
                .withPropertyValues("resilience.circuit-breaker.a.initial-state=open")
                .run(context -> {
                    assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health(context).getDetails()).hasSize(3);
                });
    }

    @Test
    void canBeSwitchedOffLikeEveryContributor() {
        runner().withPropertyValues("management.health.resilience.enabled=false")
                .run(context -> assertThat(
                                context.getBean(HealthContributorRegistry.class).getContributor("resilience"))
                        .isNull());
    }

    static class Shop {

        @CircuitBreaker("default")
        public String sell() {
            return "sold";
        }
    }

    private static Health health(AssertableApplicationContext context) {
        Object contributor = context.getBean(HealthContributorRegistry.class).getContributor("resilience");
        return ((HealthIndicator) contributor).health();
    }

    private static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        ResilienceAutoConfiguration.class,
                        ResilienceActuatorAutoConfiguration.class,
                        HealthContributorAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.circuit-breaker.vital.health=down",
                        "resilience.circuit-breaker.optional.minimum-calls=5");
    }
}
